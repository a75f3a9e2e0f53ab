package gl

import (
	"time"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
)

// PassTime is how long a device takes for a part of a batch.
type PassTime struct {
	Pass string // light, bodies, floor, depth, truth, faults or read
	Time time.Duration
}

// timer measures how long the device takes from one mark to the next. A nil timer measures nothing.
type timer struct {
	queries []uint32
	passes  []string
}

// mark ends a pass. The next begins.
func (t *timer) mark(pass string) {
	if t == nil {
		return
	}
	var q uint32
	gl.GenQueries(1, &q)
	gl.QueryCounter(q, gl.TIMESTAMP)
	t.queries, t.passes = append(t.queries, q), append(t.passes, pass)
}

// sums returns the time of each pass, after the first mark.
func (t *timer) sums() (all []PassTime) {
	known := map[string]int{}
	before := uint64(0)
	for i, pass := range t.passes {
		var at uint64
		gl.GetQueryObjectui64v(t.queries[i], gl.QUERY_RESULT, &at)
		if i > 0 {
			k, ok := known[pass]
			if !ok {
				k = len(all)
				known[pass], all = k, append(all, PassTime{Pass: pass})
			}
			all[k].Time += time.Duration(at - before)
		}
		before = at
	}
	gl.DeleteQueries(int32(len(t.queries)), &t.queries[0])
	return all
}

// TimePasses is like Render, and measures how long the device takes for each pass. Views that are not drawn in groups
// have no passes but light and read.
func (r *Renderer) TimePasses(f *render.Batch) (all []PassTime, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.thread == nil {
		return nil, errClosed
	}
	err = r.thread.do(func() error {
		t := &timer{}
		r.painter.timer = t
		defer func() { r.painter.timer = nil }()
		t.mark("")
		err := r.painter.paint(f)
		t.mark("read")
		all = t.sums()
		return err
	})
	r.painter.processor.Wait()
	return all, err
}
