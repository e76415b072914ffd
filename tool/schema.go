package tool

import (
	"encoding/json"
	"fmt"
	"strconv"

	einoschema "github.com/eino-contrib/jsonschema"
	"github.com/invopop/jsonschema"

	"github.com/cloudwego/eino/schema"
)

// A property is what the type of an argument does not say about it, since it
// depends on the configuration.
type property struct {
	description string
	minLength   uint64
	above       *float64 // the number must be above it
	least       *float64 // the number must be at least this
	most        float64  // and at most this; zero for no bound
	values      []string // it is one of these; nil for any
}

// parameters reflects args, a pointer to a struct, into the parameters of a
// tool, and adds properties by name. Eino takes a fork of the reflected type;
// both read and write the same JSON.
func parameters(args any, properties map[string]property) (*schema.ParamsOneOf, error) {
	r := jsonschema.Reflector{Anonymous: true, DoNotReference: true}
	reflected := r.Reflect(args)
	reflected.Version = ""
	for name, p := range properties {
		prop, ok := reflected.Properties.Get(name)
		if !ok {
			return nil, fmt.Errorf("einoshell: no argument %q", name)
		}
		prop.Description = p.description
		if p.minLength > 0 {
			prop.MinLength = &p.minLength
		}
		if p.above != nil {
			prop.ExclusiveMinimum = number(*p.above)
		}
		if p.least != nil {
			prop.Minimum = number(*p.least)
		}
		for _, value := range p.values {
			prop.Enum = append(prop.Enum, value)
		}
		if p.most > 0 {
			prop.Maximum = number(p.most)
		}
	}
	text, err := json.Marshal(reflected)
	if err != nil {
		return nil, err
	}
	converted := new(einoschema.Schema)
	if err := json.Unmarshal(text, converted); err != nil {
		return nil, err
	}
	return schema.NewParamsOneOfByJSONSchema(converted), nil
}

func number(n float64) json.Number { return json.Number(strconv.FormatFloat(n, 'f', -1, 64)) }
