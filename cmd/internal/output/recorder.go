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

// Recorder writes the frames and the truth of a run into a folder. It drops nothing: if the disk is slow, the run waits
// for it.
type Recorder struct {
	out     *Folder
	jobs    chan frame
	work    sync.WaitGroup
	closers []func() error // each flushes and closes a file that is written line by line

	sim   *omnipitch.Sim
	index *Lines // the index file
	// Only the goroutine that steps the simulation uses the following fields.
	episode int // index of the current episode; starts at 1
	poses   *poseHistory
	robots  map[string]int
	frames  int // number of frames observed so far

	failed func() // stops the run

	mu  sync.Mutex
	err error // the first error
}

// frame is an observation, with its index in the run and its line for the index file.
type frame struct {
	*sensors.Observation
	number int
	index  *indexJSON
}

// truthFile is the file with the ground truth, one line per step.
const truthFile = "truth.jsonl"

// NewRecorder records a simulation into the folder given by out. Close of the Recorder closes this folder. The function
// shown selects the sensors to record; nil selects all sensors. If a file cannot be written, the Recorder calls the
// function failed, from any goroutine.
func NewRecorder(sim *omnipitch.Sim, out *Folder, shown func(robot, sensor string) bool, failed func()) (*Recorder,
	error) {
	r := &Recorder{out: out, jobs: make(chan frame, 8), failed: failed, sim: sim, poses: newPoseHistory(sim),
		robots: map[string]int{}}
	truth, err := r.lines(truthFile)
	if err == nil {
		r.index, err = out.openIndex()
	}
	if err != nil {
		return nil, errors.Join(out.failed(err), out.Close())
	}
	r.closers = append(r.closers, r.index.File.Close)
	enc, line := json.NewEncoder(truth), 0
	sim.OnStep(func(s *physics.Snapshot) {
		if s.Step == 0 || line == 0 {
			r.episode++
		}
		line++
		r.note(enc.Encode(truthOf(sim)))
		r.poses.note(sim, line)
	})
	for i := range sim.World().Robots {
		robot := &sim.World().Robots[i]
		r.robots[robot.Name] = i
		for j := range robot.Sensors {
			if shown != nil && !shown(robot.Name, robot.Sensors[j].Name) {
				continue
			}
			_, camera := sim.Sensors().Camera(robot.Name, robot.Sensors[j].Name)
			if !camera && robot.Sensors[j].Lidar == nil {
				r.note(r.logReadings(sim, robot.Name, robot.Sensors[j].Name))
				continue
			}
			_, err := sim.Listen(robot.Name, robot.Sensors[j].Name, omnipitch.Listener{Observe: r.observe})
			r.note(err)
		}
	}
	r.note(r.levels(sim))
	r.note(out.writeJSON("labels.json", sim.Sensors().Scenery().Labels()))
	r.note(out.writeCameras(sim, shown))
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

// lines creates a file for text that is written line by line. Close of the Recorder closes the file.
func (r *Recorder) lines(name string) (*bufio.Writer, error) {
	f, err := r.out.create(name)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriter(f)
	r.closers = append(r.closers, w.Flush, f.Close)
	return w, nil
}

// levels writes a line to levels.jsonl whenever the level of a sensor changes.
func (r *Recorder) levels(sim *omnipitch.Sim) error {
	f, err := r.out.create("levels.jsonl")
	if err != nil {
		return err
	}
	r.closers = append(r.closers, f.Close)
	enc := json.NewEncoder(f)
	sim.Sensors().OnLevel(func(c omnipitch.LevelChange) {
		r.note(enc.Encode(frameJSON{c.Robot, c.Sensor, string(c.Level), c.Frame, c.Stamp.Seconds()}))
	})
	return nil
}

func (r *Recorder) observe(o *sensors.Observation) {
	_, cloud := o.Reading.(*sensors.PointCloud)
	if o.Color == nil && o.Depth == nil && o.Objects == nil && o.Features == nil && !cloud {
		return
	}
	x := indexOf(r.sim, o, r.episode)
	r.poses.setTruth(o, r.robots[o.Robot], x)
	o.Retain()
	r.jobs <- frame{o, r.frames, x}
	r.frames++
}

// write writes one frame: its images or, if it has none, its objects or features as JSON. It then adds the line of the
// frame to the index. The indices of frames start again with each episode. Names of files in later episodes therefore
// contain the index of the episode.
func (r *Recorder) write(f frame) error {
	o := f.Observation
	name := fmt.Sprintf("%s.%s.%s.%06d", o.Robot, o.Sensor, o.Level, o.Frame)
	if f.index.Episode > 1 {
		name = fmt.Sprintf("episode%d.%s", f.index.Episode, name)
	}
	var files []string
	var err error
	cloud, ok := o.Reading.(*sensors.PointCloud)
	switch {
	case ok:
		files, err = []string{name + ".pcd"}, r.out.writeCloud(name+".pcd", cloud)
	case o.Objects != nil:
		files, err = []string{name + ".json"}, r.out.writeJSON(name+".json", objectsOf(o))
	case o.Features != nil:
		files, err = []string{name + ".json"}, r.out.writeJSON(name+".json", featuresOf(o))
	default:
		files, err = r.out.writePictures(name, o, png.BestSpeed)
	}
	if err != nil {
		_, indexErr := r.index.Add(f.number, nil)
		return errors.Join(err, indexErr)
	}
	f.index.File, f.index.Beside = files[0], files[1:]
	_, err = r.index.Add(f.number, f.index)
	return err
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

// Close waits until everything is written. It returns the first error of the recording.
func (r *Recorder) Close() error {
	close(r.jobs)
	r.work.Wait()
	for _, end := range r.closers {
		r.note(end())
	}
	r.note(r.out.Close())
	return r.out.failed(r.err)
}

// readingLine returns a reading of a sensor without images as a line of JSON, in SI units. The line has the fields that
// all readings have, followed by the fields of this kind of reading.
func readingLine(o *sensors.Observation) ([]byte, error) {
	head, err := json.Marshal(struct {
		Level string  `json:"level"`
		Frame uint64  `json:"frame"`
		Stamp float64 `json:"stamp_s"`
	}{string(o.Level), o.Frame, o.Stamp.Seconds()})
	reading, err2 := json.Marshal(o.Reading)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	return fmt.Appendf(head[:len(head)-1], ",%s\n", reading[1:]), nil
}

// logReadings writes each reading of a sensor as a line of JSON.
func (r *Recorder) logReadings(sim *omnipitch.Sim, robot, sensor string) error {
	lines, err := r.lines(fmt.Sprintf("%s.%s.jsonl", robot, sensor))
	if err != nil {
		return err
	}
	var sound *wave
	_, err = sim.Listen(robot, sensor, omnipitch.Listener{Observe: func(o *sensors.Observation) {
		line, err := readingLine(o)
		if err == nil {
			_, err = lines.Write(line)
		}
		if heard, ok := o.Reading.(*sensors.SoundReading); ok && err == nil && len(heard.Samples) > 0 {
			if sound == nil {
				sound, err = r.newWave(fmt.Sprintf("%s.%s.wav", robot, sensor), uint32(heard.SampleRate))
			}
			if err == nil {
				err = sound.add(heard)
			}
		}
		r.note(err)
	}})
	return err
}
