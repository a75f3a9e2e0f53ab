package output

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"runtime"
	"sync"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
)

// Recorder writes frames and truth of a run into a folder. It loses nothing: a run waits for a full disk queue.
type Recorder struct {
	out  *Folder
	jobs chan frame
	work sync.WaitGroup
	ends []func() error // end what is written line by line

	episode int // how often the world has begun; it belongs to the goroutine that steps

	failed func() // ends the run, which is of no use when it is not recorded

	mu  sync.Mutex
	err error // the first
}

// frame is an observation of an episode.
type frame struct {
	*sensors.Observation
	episode int
}

// NewRecorder records a simulation into a folder, which it closes: of the sensors that shown names, of all if it is nil. When something cannot be
// written, it calls failed, from any goroutine.
func NewRecorder(sim *omnipitch.Sim, out *Folder, shown func(robot, sensor string) bool, failed func()) (*Recorder, error) {
	r := &Recorder{out: out, jobs: make(chan frame, 8), failed: failed}
	truth, err := r.lines("truth.jsonl")
	if err != nil {
		return nil, errors.Join(out.failed(err), out.Close())
	}
	enc := json.NewEncoder(truth)
	sim.OnStep(func(s *physics.Snapshot) {
		if s.Step == 0 {
			r.episode++
		}
		r.note(enc.Encode(truthOf(sim)))
	})
	for i := range sim.World().Robots {
		robot := &sim.World().Robots[i]
		for j := range robot.Sensors {
			if shown != nil && !shown(robot.Name, robot.Sensors[j].Name) {
				continue
			}
			if _, ok := sim.Camera(robot.Name, robot.Sensors[j].Name); !ok {
				r.note(r.log(sim, robot.Name, robot.Sensors[j].Name))
				continue
			}
			_, err := sim.Listen(robot.Name, robot.Sensors[j].Name, omnipitch.Listener{Observe: r.observe})
			r.note(err)
		}
	}
	r.note(r.levels(sim))
	r.note(out.writeJSON("labels.json", sim.Scenery().Labels()))
	for range runtime.NumCPU() {
		r.work.Go(func() {
			for f := range r.jobs {
				r.note(r.write(f))
				f.Release()
			}
		})
	}
	return r, nil
}

// lines makes a file that is written line by line until Close.
func (r *Recorder) lines(name string) (*bufio.Writer, error) {
	f, err := r.out.create(name)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriter(f)
	r.ends = append(r.ends, w.Flush, f.Close)
	return w, nil
}

// levels writes from which frame on a sensor is at which level.
func (r *Recorder) levels(sim *omnipitch.Sim) error {
	f, err := r.out.create("levels.jsonl")
	if err != nil {
		return err
	}
	r.ends = append(r.ends, f.Close)
	enc := json.NewEncoder(f)
	sim.OnLevel(func(c omnipitch.LevelChange) {
		r.note(enc.Encode(frameJSON{c.Robot, c.Sensor, string(c.Level), c.Frame, c.Stamp.Seconds()}))
	})
	return nil
}

func (r *Recorder) observe(o *sensors.Observation) {
	if o.Color != nil || o.Depth != nil || o.Objects != nil || o.Features != nil {
		o.Retain()
		r.jobs <- frame{o, r.episode}
	}
}

// write writes one frame: images, or objects or features as JSON. Frame numbers begin again with each episode, so that the names of all but the
// first say which it is.
func (r *Recorder) write(f frame) error {
	o := f.Observation
	name := fmt.Sprintf("%s.%s.%s.%06d", o.Robot, o.Sensor, o.Level, o.Frame)
	if f.episode > 1 {
		name = fmt.Sprintf("episode%d.%s", f.episode, name)
	}
	if o.Objects != nil {
		return r.out.writeJSON(name+".json", objectsOf(o))
	}
	if o.Features != nil {
		return r.out.writeJSON(name+".json", featuresOf(o))
	}
	return r.out.writePictures(name, o, png.BestSpeed)
}

func (r *Recorder) note(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
		r.failed()
	}
}

// Close waits for what is being written and returns the first error.
func (r *Recorder) Close() error {
	close(r.jobs)
	r.work.Wait()
	for _, end := range r.ends {
		r.note(end())
	}
	r.note(r.out.Close())
	return r.out.failed(r.err)
}
