package output

import "slices"

const (
	// mask is what is shown for a secret, with stars up to its length; only stars
	// where it is shorter.
	mask = "[redacted]"
	star = "****************************************************************"
)

// Hide returns text with all secrets in it masked as a Redactor does; text
// itself when there is none.
func (s *Secrets) Hide(text string) string {
	if s == nil || next(s, text, &place{}, 0) == 0 {
		return text
	}
	b := []byte(text)
	r := Redactor{Secrets: s}
	r.look(b)
	return string(b)
}

// A Redactor masks secrets in a stream that arrives in pieces: the same bytes
// are masked whatever the pieces. All bytes of a secret are, also of secrets
// that overlap; what is masked has the length it had. In a run of secrets that
// overlap, the longest that begins with the run has the mask, and the rest is
// stars.
//
// The zero Redactor is ready to use, and passes everything through. It is not
// safe for concurrent use, but many may share their Secrets. It has a buffer as
// large as the largest piece it was given while it held something back.
type Redactor struct {
	// Secrets are what is masked, for the whole stream.
	Secrets *Secrets

	buf  []byte // has held, and before it what was returned, unless that is in p
	held []byte // masked as far as it is known
	at   place  // in held
	runs []run  // all that a secret may still overlap, relative to held
}

// A run is where masked bytes are.
type run struct{ begin, end int }

// Write takes in p, which it may change. It returns what may be passed on now,
// valid until the next call and as long as p is, and holds back what may be the
// beginning of a secret: less than the longest one.
func (r *Redactor) Write(p []byte) []byte {
	if r.Secrets == nil {
		return p
	}
	in := len(r.held) > 0 // p has to be copied
	if in {
		r.buf = append(append(r.buf[:0], r.held...), p...)
		p = r.buf
	}
	r.look(p)
	whole := r.Secrets.begin(r.at)
	r.held = p[whole:]
	if !in {
		r.buf = append(r.buf[:0], r.held...)
		r.held = r.buf
	}
	r.at.end -= whole
	if len(r.runs) > 0 {
		r.forget(whole)
		for i := range r.runs {
			r.runs[i].begin -= whole
			r.runs[i].end -= whole
		}
	}
	return p[:whole:whole]
}

// Flush ends the stream and returns the rest of it, valid until the next call. A
// secret that is the beginning of a longer one is masked in it.
func (r *Redactor) Flush() []byte {
	rest := r.held
	r.held, r.at, r.runs = nil, place{}, r.runs[:0]
	return rest
}

// Held is how many bytes wait for the rest of what may be a secret.
func (r *Redactor) Held() int { return len(r.held) }

// look masks what is found in p, which begins with what was held.
func (r *Redactor) look(p []byte) {
	whole := r.masked()
	for {
		n := next(r.Secrets, p, &r.at, whole)
		if n == 0 {
			return
		}
		r.mask(p, r.at.end-n, r.at.end)
		whole = r.masked()
	}
}

// masked is the end of the last run.
func (r *Redactor) masked() int {
	if len(r.runs) == 0 {
		return 0
	}
	return r.runs[len(r.runs)-1].end
}

// mask masks a secret. Secrets come in the order of their ends: what is masked
// already is before it, in it, or overlaps its beginning.
func (r *Redactor) mask(p []byte, begin, end int) {
	n := len(r.runs)
	for n > 0 && r.runs[n-1].begin >= begin {
		n--
	}
	r.runs = r.runs[:n]
	if n > 0 && r.runs[n-1].end > begin {
		stars(p[r.runs[n-1].end:end])
		r.runs[n-1].end = end
		return
	}
	if n == cap(r.runs) {
		r.forget(r.Secrets.begin(r.at))
	}
	r.runs = append(r.runs, run{begin, end})
	if p = p[begin:end]; len(p) >= len(mask) {
		p = p[copy(p, mask):]
	}
	stars(p)
}

// forget drops the runs that end before whole, where all that is still to be
// found begins.
func (r *Redactor) forget(whole int) {
	n := slices.IndexFunc(r.runs, func(m run) bool { return m.end > whole })
	if n < 0 {
		n = len(r.runs)
	}
	r.runs = append(r.runs[:0], r.runs[n:]...)
}

func stars(p []byte) {
	for len(p) > 0 {
		p = p[copy(p, star):]
	}
}
