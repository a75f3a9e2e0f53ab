package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/worlds"
)

// recordFlags say what of a run is recorded, before what its world says.
type recordFlags struct {
	Record       *string  `placeholder:"FILE" help:"Record the run into FILE, such as match.mcap: the world, all commands, and the truth; off: do not, whatever the world's [record] says. omnipitch replay shows it again."`
	RecordExact  *bool    `negatable:"" help:"With --record: keep the exact state of every step too, so that a replay begins anywhere at once."`
	RecordTopic  []string `placeholder:"PATTERN" sep:"none" help:"With --record: keep what comes on topics such as /cyan1/*, as subscribers get it; may be given several times."`
	RecordSensor []string `placeholder:"ROBOT.SENSOR" sep:"none" help:"With --record: keep what comes on the topics that a sensor feeds. * matches any; may be given several times."`
	RecordImages *string  `placeholder:"FORMAT" help:"With --record-topic or --record-sensor: have images as png, jpeg, jpeg:QUALITY with a quality from 1 to 100, or raw; default: png, which keeps every pixel."`
	RecordOn     *bool    `negatable:"record-off" help:"With --record: begin switched on, or with --record-off so that the recording has what a replay needs, and shows nothing until action record or service /omnipitch/record switches it on."`
}

// check judges what the flags say by themselves.
func (f *recordFlags) check(withoutROS bool) error {
	others := f.given()
	switch {
	case f.Record != nil && *f.Record == "":
		return errors.New("--record: needs the name of a file")
	case f.Record != nil && *f.Record == "off" && len(others) > 0:
		return fmt.Errorf("%s: needs --record, which is off", others[0])
	case (len(f.RecordTopic) > 0 || len(f.RecordSensor) > 0) && withoutROS:
		return fmt.Errorf("%s: there are topics on ROS 1 alone: not with --ros1 off", others[len(others)-1])
	}
	if err := recording.Patterns(f.RecordTopic).Validate(); err != nil {
		return fmt.Errorf("--record-topic: %w", err)
	}
	if f.RecordImages != nil {
		if *f.RecordImages == "" || imageFormat(*f.RecordImages).Validate() != nil {
			return fmt.Errorf("--record-images = %q: must be png, jpeg, jpeg:QUALITY with a quality from 1 to 100, or raw", *f.RecordImages)
		}
	}
	return nil
}

// given lists the flags that need a recording.
func (f *recordFlags) given() (names []string) {
	for _, flag := range []struct {
		name  string
		given bool
	}{{"--record-exact", isTrue(f.RecordExact)}, {"--no-record-exact", isFalse(f.RecordExact)}, {"--record-on", isTrue(f.RecordOn)}, {"--record-off", isFalse(f.RecordOn)}, {"--record-images", f.RecordImages != nil},
		{"--record-topic", len(f.RecordTopic) > 0}, {"--record-sensor", len(f.RecordSensor) > 0}} {
		if flag.given {
			names = append(names, flag.name)
		}
	}
	return names
}

func isTrue(flag *bool) bool  { return flag != nil && *flag }
func isFalse(flag *bool) bool { return flag != nil && !*flag }

// imageFormat returns the format that a word of flags and worlds means.
func imageFormat(word string) recording.ImageFormat {
	if word == "raw" {
		return recording.RawImages
	}
	return recording.ImageFormat(word)
}

// plan returns the recording of a run of a world, or nil.
func (f *recordFlags) plan(w *worlds.World, withoutROS bool) (*runRecording, error) {
	r := &runRecording{cfg: w.Record, world: w}
	switch {
	case f.Record == nil && w.Record.File == "":
		if flags := f.given(); len(flags) > 0 {
			return nil, console.BadInputf("%s: needs --record, or a world that has file in [record]", flags[0])
		}
		return nil, nil
	case f.Record != nil && *f.Record == "off":
		return nil, nil
	case f.Record != nil:
		r.cfg.File = *f.Record
	default:
		r.byWorld = true
	}
	if f.RecordExact != nil {
		r.cfg.Exact = *f.RecordExact
	}
	if f.RecordOn != nil {
		r.cfg.On = *f.RecordOn
	}
	if len(f.RecordTopic)+len(f.RecordSensor) > 0 {
		r.cfg.Topics, r.cfg.Sensors = f.RecordTopic, f.RecordSensor
	}
	for _, pattern := range f.RecordSensor {
		if err := w.CheckSensors(pattern); err != nil {
			return nil, console.BadInputf("--record-sensor = %q: %w", pattern, err)
		}
	}
	if r.images = imageFormat(r.cfg.Images); r.cfg.Images == "jpeg" {
		r.images = recording.ImageFormat(fmt.Sprintf("jpeg:%d", r.cfg.Quality))
	}
	if f.RecordImages != nil {
		r.images = imageFormat(*f.RecordImages)
	}
	if withoutROS {
		r.silent = len(r.cfg.Topics)+len(r.cfg.Sensors) > 0
		r.cfg.Topics, r.cfg.Sensors = nil, nil // of the world, which is run so
	}
	return r, nil
}

// runRecording is the recording of a run.
type runRecording struct {
	*recorder.Recorder
	cfg     worlds.Recording
	world   *worlds.World
	images  recording.ImageFormat
	byWorld bool        // the world names the file
	silent  bool        // the world names topics, and there is no ROS 1
	ended   atomic.Bool // before the run did, which has been said
}

// begin begins the recording.
func (r *runRecording) begin(renderer string, overwrite bool, con console.Streams) error {
	instructions, err := backend.Instructions()
	if err != nil {
		return console.BadInput(err)
	}
	r.Recorder, err = recorder.New(r.cfg.File, r.world, recorder.Config{Program: version(), Renderer: renderer, Instructions: instructions, Exact: r.cfg.Exact, Off: !r.cfg.On, Options: recording.Options{
		Overwrite: overwrite,
		Ended: func(err error) {
			r.ended.Store(true)
			fmt.Fprintf(con.Err, "%s: %v; the run goes on\n", r.world.Name, err)
		},
	}})
	switch {
	case err != nil && r.byWorld:
		return console.BadInputf("%w (the world's [record] names it: --record FILE gives another, --record off none)", err)
	case err != nil:
		return console.BadInput(err)
	case r.byWorld:
		fmt.Fprintf(con.Notes(), "%s: recorded into %s, as its [record] says\n", r.world.Name, r.cfg.File)
	}
	if r.silent {
		fmt.Fprintf(con.Err, "%s: what its [record] names in topics and sensors is not recorded: there are topics on ROS 1 alone, not with --ros1 off\n", r.world.Name)
	}
	return nil
}

// follow records the topics that are asked for, until stop is called, which says to errs which patterns no topic has
// matched.
func (r *runRecording) follow(server *serve.Server, errs io.Writer) (stop func(), err error) {
	patterns := slices.Clone(r.cfg.Topics)
	if len(r.cfg.Sensors) > 0 {
		for _, t := range server.Topics() {
			if !t.Taken && t.Sensor != "" && worlds.MatchesSensor(r.cfg.Sensors, t.Robot, t.Sensor) {
				patterns = append(patterns, t.Topic)
			}
		}
		if len(patterns) == len(r.cfg.Topics) {
			return nil, console.BadInputf("%s: no topic is fed by sensors %s: see omnipitch ros list", r.world.Name, strings.Join(r.cfg.Sensors, ", "))
		}
	}
	if len(patterns) == 0 {
		return func() {}, nil
	}
	node, err := server.NewNode("/omnipitch_recorder")
	if err != nil {
		return nil, err
	}
	topics, err := r.Topics(node, recording.TopicsConfig{Patterns: patterns, Images: r.images})
	if err != nil {
		node.Close()
		return nil, console.NetworkError(err)
	}
	return func() {
		if missing := topics.Unmatched(); len(missing) > 0 {
			fmt.Fprintf(errs, "%s: no topic has matched %s: see omnipitch ros list\n", r.world.Name, strings.Join(missing, ", "))
		}
		_ = topics.Close() // the master may have gone
		node.Close()
	}, nil
}

// end ends the recording. It returns nothing that has been said.
func (r *runRecording) end() error {
	if err := r.Close(); err != nil && !r.ended.Load() {
		return console.Unavailable(err)
	}
	return nil
}
