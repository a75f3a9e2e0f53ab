package suite

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/robotio/aside"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// maxPictured is the maximum number of failed runs per world that get images. These are the runs with the smallest
// indices. Rendering takes half a second per run.
const maxPictured = 10

// gallery holds the images of the first failed runs of each world.
type gallery struct {
	out   *output.Folder
	names []string // prefix of the names of each world's image files

	mu     sync.Mutex
	failed [][]int             // sorted indices of each world's runs that have images
	files  map[[2]int][]string // names of image files, by the indices of world and run
	err    error               // the first error
}

func (g *gallery) init(out *output.Folder, all []World) {
	g.out, g.failed, g.files = out, make([][]int, len(all)), map[[2]int][]string{}
	for i := range all {
		name := all[i].Name
		for n := 2; slices.Contains(g.names, name); n++ { // several worlds may have the same name
			name = fmt.Sprintf("%s-%d", all[i].Name, n)
		}
		g.names = append(g.names, name)
	}
}

// admit is called when a run fails. It returns true if the run is among the first maxPictured failed runs of its world
// that are known so far. If another run thereby loses its place, admit removes the images of that run.
func (g *gallery) admit(world, number int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	first := g.failed[world]
	i, _ := slices.BinarySearch(first, number)
	if i == maxPictured {
		return false
	}
	first = slices.Insert(first, i, number)
	if len(first) > maxPictured {
		g.remove(world, first[maxPictured])
		first = first[:maxPictured]
	}
	g.failed[world] = first
	return true
}

// remove deletes the image files of a run.
func (g *gallery) remove(world, number int) {
	for _, file := range g.files[[2]int{world, number}] {
		g.fail(g.out.Remove(file))
	}
	delete(g.files, [2]int{world, number})
}

func (g *gallery) fail(err error) {
	if g.err == nil {
		g.err = err
	}
}

// add stores the names of the image files of a run. If the run has lost its place to runs with smaller indices, add
// deletes the files.
func (g *gallery) add(world, number int, files []string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fail(err)
	g.files[[2]int{world, number}] = files
	if _, ok := slices.BinarySearch(g.failed[world], number); !ok {
		g.remove(world, number)
	}
}

// withdraw removes the images of a run that has no result.
func (g *gallery) withdraw(world, number int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i, ok := slices.BinarySearch(g.failed[world], number); ok {
		g.failed[world] = slices.Delete(g.failed[world], i, i+1)
	}
	g.remove(world, number)
}

// finish stores the paths of the images in the results of the runs.
func (g *gallery) finish(o *Outcome) {
	for key, files := range g.files {
		r := &o.Worlds[key[0]].Results[key[1]]
		for _, file := range files {
			r.Pictures = append(r.Pictures, g.out.Path(file))
		}
	}
	if g.err != nil {
		o.Notes = append(o.Notes, fmt.Sprintf("some images are missing: %v", g.err))
	}
}

// picture renders the state of the run at the time at which an expectation has failed. It does so only for the first
// failed expectation of a run.
func (r *run) picture(v expectation.Verdict) {
	if r.Out == nil || r.NoPictures || r.pictured || r.interrupted() != nil {
		return
	}
	r.pictured = true
	if !r.gallery.admit(r.world, r.number) {
		return
	}
	pictures, err := output.Moment(r.sim, r.concerned(v))
	var files []string
	for _, p := range pictures {
		file, writeErr := r.Out.WritePicture(fmt.Sprintf("%s.%d.%s", r.gallery.names[r.world], r.Seed, p.Name), p.Image)
		if err = errors.Join(err, writeErr); writeErr == nil {
			files = append(files, file)
		}
	}
	r.gallery.add(r.world, r.number, files, err)
}

// concerned returns the cameras to show for a verdict. These are the cameras that the verdict names. For each robot
// that the verdict names without a camera, it is the robot's first camera. If the verdict names no robot, it is the
// first camera of the world.
func (r *run) concerned(v expectation.Verdict) (cameras []string) {
	named := map[string]bool{}
	for _, word := range strings.FieldsFunc(v.Expected+" "+v.Was, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_-.", c)
	}) {
		named[strings.Trim(word, ".")] = true
	}
	first := ""
	for _, robot := range r.sim.World().Robots {
		var all, own []string
		for i := range robot.Sensors {
			name := robot.Name + "." + robot.Sensors[i].Name
			if _, ok := r.sim.Sensors().Camera(robot.Name, robot.Sensors[i].Name); !ok {
				continue
			}
			all = append(all, name)
			if named[name] {
				own = append(own, name)
			}
		}
		if first == "" && len(all) > 0 {
			first = all[0]
		}
		if named[robot.Name] && len(own) == 0 && len(all) > 0 {
			own = all[:1]
		}
		cameras = append(cameras, own...)
	}
	if len(cameras) == 0 && first != "" {
		cameras = append(cameras, first)
	}
	return cameras
}

// recordings collects the errors of writing the recordings of a suite.
type recordings struct {
	mu  sync.Mutex
	err error // the first error
}

func (s *recordings) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// finish adds a note to the outcome if recordings are missing.
func (s *recordings) finish(o *Outcome) {
	if s.err != nil {
		o.Notes = append(o.Notes, fmt.Sprintf("some recordings are missing: %v", s.err))
	}
}

// record starts the recording of a run, if the suite records its runs. An error of the recording never ends the run.
func (r *run) record(world *worlds.World, opts *omnipitch.Options) {
	if r.Record == nil {
		return
	}
	name := fmt.Sprintf("%s.%d.mcap", r.gallery.names[r.world], r.Seed)
	path, err := r.Out.List(name)
	if err == nil {
		_, err = r.Out.List(name + aside.Suffix)
	}
	if err == nil {
		cfg := *r.Record
		cfg.Exact, cfg.Off, cfg.Renderer = world.Record.Exact, !world.Record.On, r.Renderer
		cfg.Ended = r.recordings.fail
		r.tape, err = recorder.New(path, world, cfg)
	}
	if err != nil {
		r.recordings.fail(err)
		return
	}
	r.tape.Hook(opts)
	r.recorded = path
}

// endRecording ends the recording of a run. It deletes the recording unless the run failed.
func (r *run) endRecording() {
	if r.tape == nil {
		return
	}
	err := r.tape.Close() // an error was already reported through cfg.Ended
	r.tape = nil
	path := r.recorded
	if err != nil {
		path += aside.Suffix
	}
	if r.Failed() {
		r.Recording = path
		return
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		r.recordings.fail(err)
	}
}
