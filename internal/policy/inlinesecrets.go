package policy

import "regexp"

// Code for interpreters that plainly reads a file that is named in it, or shows the whole
// environment.
var (
	opensFile   = regexp.MustCompile(`(?i)\b(open|read\w*|slurp|file_get_contents|load)\b`)
	literal     = regexp.MustCompile(`'([^'\s]+)'|"([^"\s]+)"`)
	environment = regexp.MustCompile(`\bprocess\.env\s*($|[);,])|\bos\.environ\s*($|[);,])|\bENV\.(to_h|to_a|inspect|each)|%ENV\b`)
)

// mostLiterals is how many strings of one code are looked at.
const mostLiterals = 1000

func inlineSecrets(c *looked) hit {
	r := c.interprets()
	if r.shell {
		return hit{}
	}
	var codes []string
	for _, w := range r.code {
		codes = append(codes, w.Text)
	}
	if r.stdin && c.Stdin != nil {
		codes = append(codes, *c.Stdin)
	}
	for _, code := range codes {
		if environment.MatchString(code) {
			return asks("the code for %s shows the whole environment", c.base)
		}
		if !opensFile.MatchString(code) {
			continue
		}
		for _, m := range literal.FindAllStringSubmatch(code, mostLiterals) {
			if file := m[1] + m[2]; secretPath(file) {
				return denies("the code for %s reads %s", c.base, show(file))
			}
		}
	}
	return hit{}
}
