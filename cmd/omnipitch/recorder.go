package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
)

// recorder writes frames and truth of a run into a folder. It loses nothing: a run waits for a full disk queue.
type recorder struct {
	dir   string
	truth *os.File
	lines *bufio.Writer
	jobs  chan *sensors.Observation
	work  sync.WaitGroup
	logs  []func() error // each ends a sensor's log

	mu  sync.Mutex
	err error // the first
}

func newRecorder(sim *omnipitch.Sim, dir string) (*recorder, error) {
	if err := makeOut(dir); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, "truth.jsonl"))
	if err != nil {
		return nil, badInput{fmt.Errorf("--out %s: %w", dir, err)}
	}
	r := &recorder{dir: dir, truth: f, lines: bufio.NewWriter(f), jobs: make(chan *sensors.Observation, 8)}
	enc := json.NewEncoder(r.lines)
	sim.OnStep(func(*physics.Snapshot) { r.note(enc.Encode(truthOf(sim))) })
	for i := range sim.World().Robots {
		robot := &sim.World().Robots[i]
		for j := range robot.Sensors {
			if _, ok := sim.Eyes(robot.Name, robot.Sensors[j].Name); !ok {
				r.note(r.log(sim, robot.Name, robot.Sensors[j].Name))
				continue
			}
			_, err := sim.Listen(robot.Name, robot.Sensors[j].Name, omnipitch.Listener{Observe: r.observe})
			r.note(err)
		}
	}
	r.note(r.levels(sim))
	r.note(writeJSON(dir, "labels.json", sim.Labels()))
	for range runtime.NumCPU() {
		r.work.Go(func() {
			for o := range r.jobs {
				r.note(r.write(o))
				o.Release()
			}
		})
	}
	return r, nil
}

// levels writes who was at which level from when on.
func (r *recorder) levels(sim *omnipitch.Sim) error {
	f, err := os.Create(filepath.Join(r.dir, "levels.jsonl"))
	if err != nil {
		return badInput{fmt.Errorf("--out: %w", err)}
	}
	r.logs = append(r.logs, f.Close)
	enc := json.NewEncoder(f)
	sim.OnLevel(func(c omnipitch.LevelChange) {
		r.note(enc.Encode(struct {
			Robot  string  `json:"robot"`
			Sensor string  `json:"sensor"`
			Level  string  `json:"level"`
			Frame  uint64  `json:"frame"`
			Stamp  float64 `json:"stamp_s"`
		}{c.Robot, c.Sensor, string(c.Level), c.Frame, c.Stamp.Seconds()}))
	})
	return nil
}

// makeOut makes the folder of --out.
func makeOut(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return badInput{fmt.Errorf("--out %s: %w", dir, err)}
	}
	return nil
}

func (r *recorder) observe(o *sensors.Observation) {
	if o.Color != nil || o.Depth != nil || o.Objects != nil || o.Features != nil {
		o.Retain()
		r.jobs <- o
	}
}

// write writes one frame: pictures, or objects or features as JSON.
func (r *recorder) write(o *sensors.Observation) error {
	name := fmt.Sprintf("%s.%s.%s.%06d", o.Robot, o.Sensor, o.Level, o.Frame)
	if o.Objects != nil {
		return writeJSON(r.dir, name+".json", objectsOf(o))
	}
	if o.Features != nil {
		return writeJSON(r.dir, name+".json", featuresOf(o))
	}
	return writePictures(r.dir, name, o, png.BestSpeed)
}

// writePictures writes the images of an observation: the depth, or the colour of a device without depth, gets the
// plain name.
func writePictures(dir, name string, o *sensors.Observation, level png.CompressionLevel) error {
	var err error
	if o.Truth != nil {
		err = errors.Join(
			writePNG(dir, name+".labels.png", labelsPicture(o.Truth), level),
			writePNG(dir, name+".range.png", rangePicture(o.Truth), level),
			writePNG(dir, name+".normals.png", normalsPicture(o.Truth), level),
			writePNG(dir, name+".flow.png", flowPicture(o.Truth), level))
	}
	if o.Depth == nil {
		return errors.Join(err, writePNG(dir, name+".png", colorPicture(o.Color), level))
	}
	return errors.Join(err,
		writePNG(dir, name+".png", depthPicture(o.Depth), level),
		writePNG(dir, name+".color.png", colorPicture(o.Color), level))
}

func writeJSON(dir, name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), append(text, '\n'), 0o644)
}

func (r *recorder) note(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

// close waits for what is being written and returns the first error.
func (r *recorder) close() error {
	close(r.jobs)
	r.work.Wait()
	r.note(r.lines.Flush())
	r.note(r.truth.Close())
	for _, end := range r.logs {
		r.note(end())
	}
	return r.err
}
