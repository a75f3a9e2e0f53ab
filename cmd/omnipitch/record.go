package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/worlds"
)

// recordFlags are the flags that say what a run records. They override the table [record] of the world.
type recordFlags struct {
	Record       *string  `placeholder:"FILE" help:"Record the run into FILE, such as match.mcap: the world, all commands, and the truth. omnipitch replay replays it. off: do not record, even if the world has [record]."`
	RecordExact  *bool    `negatable:"" help:"With --record: also record the exact state of every step, so that a replay can start at any time without delay."`
	RecordTopic  []string `placeholder:"PATTERN" sep:"none" help:"With --record: also record the messages on the topics that match, such as /cyan1/*. May be repeated."`
	RecordSensor []string `placeholder:"ROBOT.SENSOR" sep:"none" help:"With --record: also record the messages on the topics that a sensor publishes. * matches any name. May be repeated."`
	RecordImages *string  `placeholder:"FORMAT" help:"With --record-topic or --record-sensor: format of recorded images: png, jpeg, jpeg:QUALITY with a quality from 1 to 100, or raw. Default: png, which is lossless."`
	RecordOn     *bool    `negatable:"record-off" help:"With --record: whether recording is on at the start. With --record-off a replay shows nothing until the action record or the service /omnipitch/record switches it on."`
}

// check checks the flags without reading any file. withoutROS is true if robots can connect neither over ROS 1 nor over
// ROS 2.
func (f *recordFlags) check(withoutROS bool) error {
	others := f.given()
	switch {
	case f.Record != nil && *f.Record == "":
		return errors.New("--record: needs the name of a file")
	case f.Record != nil && *f.Record == "off" && len(others) > 0:
		return fmt.Errorf("%s: needs --record, which is off", others[0])
	case (len(f.RecordTopic) > 0 || len(f.RecordSensor) > 0) && withoutROS:
		return fmt.Errorf("%s: topics exist only on ROS: not with --ros1 off", others[len(others)-1])
	}
	if err := recording.Patterns(f.RecordTopic).Validate(); err != nil {
		return fmt.Errorf("--record-topic: %w", err)
	}
	if f.RecordImages != nil {
		if *f.RecordImages == "" || imageFormat(*f.RecordImages).Validate() != nil {
			return fmt.Errorf("--record-images = %q: must be png, jpeg, jpeg:QUALITY with a quality from 1 to 100, "+
				"or raw", *f.RecordImages)
		}
	}
	return nil
}

// given returns the names of the flags which the user has given and which need a recording.
func (f *recordFlags) given() (names []string) {
	for _, flag := range []struct {
		name  string
		given bool
	}{{"--record-exact", isTrue(f.RecordExact)}, {"--no-record-exact", isFalse(f.RecordExact)},
		{"--record-on", isTrue(f.RecordOn)}, {"--record-off", isFalse(f.RecordOn)},
		{"--record-images", f.RecordImages != nil},
		{"--record-topic", len(f.RecordTopic) > 0}, {"--record-sensor", len(f.RecordSensor) > 0}} {
		if flag.given {
			names = append(names, flag.name)
		}
	}
	return names
}

func isTrue(flag *bool) bool  { return flag != nil && *flag }
func isFalse(flag *bool) bool { return flag != nil && !*flag }

// imageFormat returns the image format for a word that flags and world files use.
func imageFormat(word string) recording.ImageFormat {
	if word == "raw" {
		return recording.RawImages
	}
	return recording.ImageFormat(word)
}

// plan returns the recording that a run of the world makes, or nil if the run is not recorded.
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
		r.fileByWorld = true
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
		r.omitsTopics = len(r.cfg.Topics)+len(r.cfg.Sensors) > 0
		r.cfg.Topics, r.cfg.Sensors = nil, nil
	}
	return r, nil
}

// runRecording is the recording of a run.
type runRecording struct {
	*recorder.Recorder
	cfg         worlds.Recording
	world       *worlds.World
	images      recording.ImageFormat
	fileByWorld bool        // the world names the file
	omitsTopics bool        // the world names topics, and there is no ROS
	ros2        bool        // the messages are those of ROS 2
	failed      atomic.Bool // the recording failed during the run, and the error was printed
}

// create creates the file of the recording.
func (r *runRecording) create(renderer string, overwrite bool, con console.Streams) error {
	instructions, err := backend.Instructions()
	if err != nil {
		return console.BadInput(err)
	}
	r.Recorder, err = recorder.New(r.cfg.File, r.world, recorder.Config{Program: version(), Renderer: renderer,
		Instructions: instructions, Exact: r.cfg.Exact, Off: !r.cfg.On, ROS2: r.ros2, Options: recording.Options{
			Overwrite: overwrite,
			Ended: func(err error) {
				r.failed.Store(true)
				fmt.Fprintf(con.Err, "%s: %v; the run continues\n", r.world.Name, err)
			},
		}})
	switch {
	case err != nil && r.fileByWorld:
		return console.BadInputf("%w ([record] of the world names this file: --record FILE names another, --record "+
			"off turns recording off)", err)
	case err != nil:
		return console.BadInput(err)
	case r.fileByWorld:
		fmt.Fprintf(con.Notes(), "%s: recording into %s, as [record] of the world says\n", r.world.Name, r.cfg.File)
	}
	if r.omitsTopics {
		fmt.Fprintf(con.Err, "%s: topics and sensors of [record] are not recorded: topics exist only on ROS, not "+
			"with --ros1 off\n", r.world.Name)
	}
	return nil
}

// discoveryTime is the maximum wall time to wait for nodes of this program to find each other in ROS 2. It is a guess:
// they take some 0.1 s.
const discoveryTime = 2 * time.Second

// recordTopics records the selected topics until the function stop is called. stop prints to errs each pattern that has
// matched no topic, and how many messages are missing. recordTopics waits for nodes of ROS 2 to find each other.
func (r *runRecording) recordTopics(ctx context.Context, server *serve.Server, errs io.Writer) (stop func(),
	err error) {
	patterns := slices.Clone(r.cfg.Topics)
	if len(r.cfg.Sensors) > 0 {
		for _, t := range server.Topics() {
			if !t.Taken && t.Sensor != "" && worlds.MatchesSensor(r.cfg.Sensors, t.Robot, t.Sensor) {
				patterns = append(patterns, t.Topic)
			}
		}
		if len(patterns) == len(r.cfg.Topics) {
			return nil, console.BadInputf("%s: sensors %s publish no topic: see omnipitch ros list", r.world.Name,
				strings.Join(r.cfg.Sensors, ", "))
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
	if r.ros2 {
		var published []string
		for _, t := range server.Topics() {
			if !t.Taken {
				published = append(published, t.Topic)
			}
		}
		ctx, cancel := context.WithTimeout(ctx, discoveryTime)
		topics.Await(ctx, published)
		cancel()
	}
	return func() {
		if missing := topics.Unmatched(); len(missing) > 0 {
			fmt.Fprintf(errs, "%s: no topic matched %s: see omnipitch ros list\n", r.world.Name,
				strings.Join(missing, ", "))
		}
		_ = topics.Close() // fails if the master has ended
		node.Close()
		if lost := lostMessages(topics, server.Topics()); lost > 0 {
			fmt.Fprintf(errs, "%s: %d messages came too fast to be recorded: a lower --speed keeps them\n", r.world.Name,
				lost)
		}
	}, nil
}

// lostMessages returns how many messages of the simulation are missing on recorded topics. It returns 0 if recording
// has been off.
func lostMessages(topics *recording.Topics, published []robotio.TopicReport) (lost uint64) {
	received, whole := topics.Received()
	if !whole {
		return 0
	}
	sent := map[string]uint64{}
	for _, t := range published {
		if !t.Taken {
			sent[t.Topic] += t.Messages
		}
	}
	for topic, n := range received {
		lost += max(sent[topic], n) - n
	}
	return lost
}

// finish completes the recording. It does not return an error that has been printed already.
func (r *runRecording) finish() error {
	if err := r.Close(); err != nil && !r.failed.Load() {
		return console.Unavailable(err)
	}
	return nil
}
