package command

// A handling is one way in which the parser and shells disagree, and what is done
// about it. Tests switch them off, one at a time, to prove that the differential fuzz
// test would find what each is for.
type handling uint

const (
	foldedComment   handling = 1 << iota // # comment \⏎
	strangeBytes                         // ls \r# $(rm x)
	quotedInBraces                       // "${a:-'$(rm x)'}"
	foldedDollar                         // "$\⏎(rm x)"
	timeDashes                           // time -- rm x
	evaluatedNames                       // printf -v 'a[$(rm x)]'
	evaluatedValues                      // v='a[$(rm x)]'; echo $((v))
	unknownNames                         // $unset rm x
	aliases                              // alias ll=rm⏎ll x
	bothReadings                         // echo $'a\'; rm x #', [[ b > a ]], make &> f
	braces                               // {rm,-f,x}
)

// off are the handlings that a test has switched off.
var off handling

func handles(h handling) bool { return off&h == 0 }
