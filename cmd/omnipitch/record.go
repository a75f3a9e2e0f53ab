package main

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/cmd/serve"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/worlds"
)

// recordFlags say what of a run is recorded.
type recordFlags struct {
	Record      *string  `placeholder:"FILE" help:"Record the run into FILE, such as match.mcap: the world, all commands, and the truth. omnipitch replay shows it again."`
	RecordExact bool     `help:"With --record: keep the exact state of every step too, so that a replay begins anywhere at once."`
	RecordTopic []string `placeholder:"PATTERN" sep:"none" help:"With --record: keep what comes on topics such as /cyan1/*, as subscribers get it; may be given several times."`

	ended atomic.Bool // before the run did, which has been said
}

func (f *recordFlags) check(withoutROS bool) error {
	switch {
	case f.Record != nil && *f.Record == "":
		return errors.New("--record: needs the name of a file")
	case f.Record == nil && f.RecordExact:
		return errors.New("--record-exact: needs --record")
	case f.Record == nil && len(f.RecordTopic) > 0:
		return errors.New("--record-topic: needs --record")
	case len(f.RecordTopic) > 0 && withoutROS:
		return errors.New("--record-topic: there are topics on ROS 1 alone: not with --ros1 off")
	}
	if err := (recording.TopicsConfig{Patterns: f.RecordTopic}).Validate(); err != nil {
		return fmt.Errorf("--record-topic: %w", err)
	}
	return nil
}

// begin begins the recording.
func (f *recordFlags) begin(w *worlds.World, renderer string, overwrite bool, errs io.Writer) (*recorder.Recorder, error) {
	instructions, err := backend.Instructions()
	if err != nil {
		return nil, exit.BadInput(err)
	}
	rec, err := recorder.New(*f.Record, w, recorder.Config{Program: version(), Renderer: renderer, Instructions: instructions, Exact: f.RecordExact, Options: recording.Options{
		Overwrite: overwrite,
		Ended: func(err error) {
			f.ended.Store(true)
			fmt.Fprintf(errs, "%s: %v; the run goes on\n", w.Name, err)
		},
	}})
	if err != nil {
		return nil, exit.BadInput(err)
	}
	return rec, nil
}

// topics records the topics that are asked for, until stop is called.
func (f *recordFlags) topics(rec *recorder.Recorder, server *serve.Server) (stop func(), err error) {
	node, err := server.NewNode("/omnipitch_recorder")
	if err != nil {
		return nil, err
	}
	topics, err := rec.Topics(node, recording.TopicsConfig{Patterns: f.RecordTopic})
	if err != nil {
		node.Close()
		return nil, exit.Network(err)
	}
	return func() {
		_ = topics.Close() // the master may have gone
		node.Close()
	}, nil
}

// end ends the recording. It returns nothing that has been said.
func (f *recordFlags) end(rec *recorder.Recorder) error {
	if err := rec.Close(); err != nil && !f.ended.Load() {
		return exit.Lacking(err)
	}
	return nil
}
