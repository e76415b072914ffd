package process

import "sync"

// A table is the processes of the system as several trees see them that look at the same
// time, so that many commands that end together do not each read all there is. A process
// is read when one of the trees asks for it, once. A nil table reads each time.
type table struct {
	pids []int // of all that there were when the look began

	mu   sync.Mutex
	rows map[int]*row
}

type row struct {
	stat    func() (stat, bool)
	environ func() ([][]byte, bool)
}

// tables are those that are being made.
var tables struct {
	sync.Mutex
	next *makes // for who has come since the one in the making was begun
	busy bool
}

type makes struct {
	done  chan struct{}
	table *table
}

// sharedTable returns a table that was begun after the call.
func sharedTable() *table {
	tables.Lock()
	if tables.next == nil {
		tables.next = &makes{done: make(chan struct{})}
	}
	m, first := tables.next, !tables.busy
	tables.busy = true
	tables.Unlock()
	if first {
		go makeTables()
	}
	<-m.done
	return m.table
}

// makeTables makes tables until nobody waits for one.
func makeTables() {
	for {
		tables.Lock()
		m := tables.next
		tables.next, tables.busy = nil, m != nil
		tables.Unlock()
		if m == nil {
			return
		}
		m.table = &table{pids: pids(), rows: map[int]*row{}}
		close(m.done)
	}
}

func (t *table) row(pid int) *row {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.rows[pid]
	if r == nil {
		r = &row{stat: sync.OnceValues(func() (stat, bool) { return readStat(pid) })}
		r.environ = sync.OnceValues(func() ([][]byte, bool) {
			s, _ := r.stat()
			return marksOf(s)
		})
		t.rows[pid] = r
	}
	return r
}

// stat is what there is to know of a process.
func (t *table) stat(pid int) (stat, bool) {
	if t == nil {
		return readStat(pid)
	}
	return t.row(pid).stat()
}

// marks are those that a process carries, see (stat).environ.
func (t *table) marks(s stat) (marks [][]byte, decided bool) {
	if t == nil {
		return marksOf(s)
	}
	return t.row(s.pid).environ()
}
