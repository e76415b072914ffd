package output

import (
	"math/bits"
	"slices"
)

const (
	// minSecret is the shortest secret: what is shorter is found everywhere.
	minSecret = 8
	// maxSecret is the longest one, and so more than a Redactor ever holds back.
	maxSecret = 4096
	// places is how many pairs of bytes the first minSecret have.
	places = minSecret - 1
	// stride is how far apart the places are at which a text is looked at: in the
	// first minSecret bytes of a secret, one with two pairs is always met.
	stride = minSecret - 2
)

// Secrets are values to be hidden, made by NewSecrets. They never change and are
// safe for concurrent use; nil hides nothing.
//
// A value is found as it is: not in another encoding, nor in part, nor with
// anything between its bytes. In memory it takes some 20 times its length, and
// all values 66 KiB more.
type Secrets struct {
	// pairs says in which places in the first minSecret bytes of a secret a pair of
	// bytes is: a bit for each, the last place first. Most of a text is passed over
	// for what it says.
	pairs [1 << 16]uint8
	// starts has the nodes of the first minSecret bytes by their hash. Its length
	// is a power of two, and at most half of it is in use.
	starts []start
	shift  uint
	// nodes are the beginnings of secrets, the empty one first, and make an
	// automaton: it is in the longest one that the text so far ends with.
	nodes []node
	roots [256]int32 // the children of the first
}

type start struct {
	head uint64
	node int32 // 0: none
}

type node struct {
	child   int32 // one that is longer by a byte; 0: none
	sibling int32 // another one such; 0: none
	fail    int32 // the longest proper end of this one that has a child
	depth   uint16
	found   uint16 // the length of the longest secret at its end; 0: none
	last    byte
}

// NewSecrets returns the secrets of values; nil when there is none. Those
// shorter than 8 bytes are ignored. One longer than 4096 is cut into secrets of
// 4096 and what is left; where that is less than 8 bytes, into its last 4096.
func NewSecrets(values []string) *Secrets {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return len(v) < minSecret })
	if len(values) == 0 {
		return nil
	}
	s := &Secrets{nodes: make([]node, 1)}
	heads := map[uint64]int32{}
	for _, v := range values {
		for len(v) > maxSecret {
			s.add(v[:maxSecret], heads)
			if rest := len(v) - maxSecret; rest >= minSecret {
				v = v[maxSecret:]
			} else {
				v = v[rest:]
			}
		}
		s.add(v, heads)
	}
	s.hash(heads)
	s.link()
	return s
}

// add makes the nodes of v.
func (s *Secrets) add(v string, heads map[uint64]int32) {
	at := int32(0)
	for i := range len(v) {
		next := s.child(at, v[i])
		if next == 0 {
			next = int32(len(s.nodes))
			n := node{depth: uint16(i + 1), last: v[i]}
			if at == 0 {
				s.roots[v[i]] = next
			} else {
				n.sibling, s.nodes[at].child = s.nodes[at].child, next
			}
			s.nodes = append(s.nodes, n)
		}
		if at = next; i == minSecret-1 {
			heads[head(v, 0)] = at
		}
	}
	s.nodes[at].found = uint16(len(v))
	for i := range places {
		s.pairs[pair(v, i)] |= 1 << (places - 1 - i)
	}
}

// hash makes starts.
func (s *Secrets) hash(heads map[uint64]int32) {
	width := bits.Len(uint(2*len(heads) - 1))
	s.starts, s.shift = make([]start, 1<<width), uint(64-width)
	for h, n := range heads {
		i := s.slot(h)
		for s.starts[i].node != 0 {
			i = (i + 1) & (len(s.starts) - 1)
		}
		s.starts[i] = start{h, n}
	}
}

// slot is where the search for a head begins.
func (s *Secrets) slot(head uint64) int { return int(head * 0x9e3779b97f4a7c15 >> s.shift) }

// start is the node of a head; 0 for none.
func (s *Secrets) start(head uint64) int32 {
	for i := s.slot(head); ; i = (i + 1) & (len(s.starts) - 1) {
		if at := s.starts[i]; at.head == head || at.node == 0 {
			return at.node
		}
	}
}

// link sets the fail and the found of all nodes, the shorter first.
func (s *Secrets) link() {
	s.nodes = slices.Clip(s.nodes)
	queue := make([]int32, 0, len(s.nodes))
	for _, n := range s.roots {
		if n != 0 {
			queue = append(queue, n)
		}
	}
	for i := 0; i < len(queue); i++ {
		n := &s.nodes[queue[i]]
		end := &s.nodes[n.fail]
		n.found = max(n.found, end.found)
		if end.child == 0 {
			n.fail = end.fail
		}
		for c := n.child; c != 0; c = s.nodes[c].sibling {
			end, last := n.fail, s.nodes[c].last
			for end != 0 && s.child(end, last) == 0 {
				end = s.nodes[end].fail
			}
			s.nodes[c].fail = s.child(end, last)
			queue = append(queue, c)
		}
	}
}

// child is n with c behind it; 0 when that is no node.
func (s *Secrets) child(n int32, c byte) int32 {
	if n == 0 {
		return s.roots[c]
	}
	for n = s.nodes[n].child; n != 0 && s.nodes[n].last != c; n = s.nodes[n].sibling {
	}
	return n
}

// A place is how far a text was looked at, and the node that it ends with there.
type place struct {
	end  int
	node int32
}

// begin is where the node begins: before it, nothing more begins.
func (s *Secrets) begin(p place) int { return p.end - int(s.nodes[p.node].depth) }

// next goes on from p until a secret ends, and returns the length of the longest
// one that does; 0 at the end of the text. What is before whole, which is not
// behind p, may have been masked and is not read again.
func next[T string | []byte](s *Secrets, text T, p *place, whole int) int {
	at := *p
	for at.end < len(text) {
		n := &s.nodes[at.node]
		switch from := at.end - int(n.depth); {
		case n.depth < minSecret && from >= whole:
			at = leap(s, text, from)
		case s.nodes[n.child].last == text[at.end]: // it has one, and few have more
			at = place{at.end + 1, n.child}
		default:
			c := s.child(at.node, text[at.end])
			if c == 0 {
				at.node = n.fail // and again
				continue
			}
			at = place{at.end + 1, c}
		}
		n = &s.nodes[at.node]
		if n.child == 0 {
			at.node = n.fail // it gets no longer
		}
		if n.found > 0 {
			*p = at
			return int(n.found)
		}
	}
	*p = at
	return 0
}

// leap goes on behind the first head that begins at from or after it; when there
// is none, to the end of the text.
func leap[T string | []byte](s *Secrets, text T, from int) place {
	for i, next := from+stride-1, 0; ; i = next {
		var found uint32
		if i, next, found = skip(s, text, i); found == 0 {
			return place{len(text), tail(s, text, max(from, len(text)-places))}
		}
		for ; found != 0; found &= found - 1 {
			bit := bits.TrailingZeros32(found)
			at := i - stride + bit - bit/8*(8-stride) // a byte is eight bits, but stride places
			if at+minSecret > len(text) {
				break
			}
			if n := s.start(head(text, at)); n != 0 {
				return place{at + minSecret, n}
			}
		}
	}
}

// skip goes on from at, by strides, to where a head may be: found has the bits of
// pairs that say so, a byte for each of the strides from at to next. It is 0 at
// the end of the text.
func skip[T string | []byte](s *Secrets, text T, i int) (at, next int, found uint32) {
	for {
		// Four at a time, which do not wait for each other.
		for ; i+3*stride+3 <= len(text); i += 4 * stride {
			w := text[i : i+3*stride+2]
			if s.pairs[pair(w, 0)]|s.pairs[pair(w, stride)]|s.pairs[pair(w, 2*stride)]|s.pairs[pair(w, 3*stride)] != 0 {
				break
			}
		}
		if i+3*stride+3 > len(text) {
			break
		}
		// A second pair behind the first rules out most of what is none.
		w := text[i : i+3*stride+3]
		a := s.pairs[pair(w, 0)] & (s.pairs[pair(w, 1)] << 1)
		b := s.pairs[pair(w, stride)] & (s.pairs[pair(w, stride+1)] << 1)
		c := s.pairs[pair(w, 2*stride)] & (s.pairs[pair(w, 2*stride+1)] << 1)
		d := s.pairs[pair(w, 3*stride)] & (s.pairs[pair(w, 3*stride+1)] << 1)
		if a|b|c|d != 0 {
			return i, i + 4*stride, uint32(a) | uint32(b)<<8 | uint32(c)<<16 | uint32(d)<<24
		}
		i += 4 * stride
	}
	for ; i+3 <= len(text); i += stride {
		if a := s.pairs[pair(text, i)] & (s.pairs[pair(text, i+1)] << 1); a != 0 {
			return i, i + stride, uint32(a)
		}
	}
	return i, i, 0
}

// tail is the longest node that text ends with and that begins at from or behind
// it: at most places bytes are there.
func tail[T string | []byte](s *Secrets, text T, from int) int32 {
	var found uint8 // as in pairs: where the last two bytes may be in a secret, with those before
	for i := from; i+1 < len(text); i++ {
		found = (found>>1 | 1<<(places-1)) & s.pairs[pair(text, i)]
	}
	for ; found != 0; found &= found - 1 {
		n := int32(0)
		for i := len(text) - 2 - (places - 1 - bits.TrailingZeros8(found)); i < len(text); i++ {
			if n = s.child(n, text[i]); n == 0 {
				break
			}
		}
		if n != 0 {
			return n
		}
	}
	return s.roots[text[len(text)-1]]
}

// pair is the two bytes of text at i, and head the first of a secret that begins
// there.
func pair[T string | []byte](text T, i int) uint16 {
	return uint16(text[i]) | uint16(text[i+1])<<8
}

func head[T string | []byte](text T, i int) uint64 {
	t := text[i : i+minSecret]
	return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
		uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
}
