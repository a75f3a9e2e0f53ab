package series

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/replay"
)

// Series is a number over time.
type Series struct {
	Number
	Time, Value []float64 // Time is in seconds, in order. A Value may be NaN.
	Period      float64   // for a body, seconds between successive values, apart from gaps; else 0
}

// Number describes a number that a recording has.
type Number struct {
	Name  string // name; all elements of a list in a message have one name with [i], such as ranges[i]
	Unit  string // unit; empty if there is none, or if it is in the message's definition
	Steps bool   // whether a value stays valid until the next value, like a command
}

// File is an open recording.
type File struct {
	*recording.Reader
	path    string
	run     *replay.Recording // the recorded run if the recording has exact states; else nil
	bodies  []body
	numbers []Number
	ctx     context.Context // argument of Read
	left    int             // number of values that Read may still read
}

// maxValues is the maximum number of values that Read reads, which limits the memory. It is enough for more than an
// hour of ten numbers at every step.
const maxValues = 10_000_000

// interruptedEvery is the number of values between checks of the context.
const interruptedEvery = 1000

// Open opens a recording, which may be incomplete, or any other MCAP file of ROS messages. The caller must close the
// File.
func Open(name string) (*File, error) {
	r, err := recording.Open(name)
	if err != nil {
		return nil, err
	}
	f := &File{Reader: r, path: name}
	if f.has(recorder.States) && len(f.Attachments()) > 0 { // an export may lack the world
		f.run, err = replay.Open(name)
	}
	if err == nil {
		err = f.list()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Close closes the file.
func (f *File) Close() error {
	if f.run != nil {
		_ = f.run.Close() // errors do not matter, because the file was only read
	}
	return f.Reader.Close()
}

func (f *File) has(topic string) bool {
	return slices.ContainsFunc(f.Channels(), func(c *recording.ChannelInfo) bool { return c.Topic == topic })
}

// Numbers lists the numbers of the recording. For topics, these are the fields of the first message.
func (f *File) Numbers() []Number { return f.numbers }

// list finds the numbers.
func (f *File) list() error {
	if err := f.findBodies(); err != nil {
		return err
	}
	for i := range f.bodies {
		for _, q := range f.bodies[i].quantities {
			f.numbers = append(f.numbers, Number{Name: f.bodies[i].name + "." + q.name, Unit: q.unit})
		}
	}
	f.findCommands()
	return f.findFields()
}

// Read returns the numbers with the given names, in the span of time from start up to but not including end. In names
// of bodies and commands,
// * matches any characters. Read fails on a name that does not exist, on a number without a value in that time, and
// when ctx ends.
func (f *File) Read(ctx context.Context, names []string, start, end time.Duration) ([]*Series, error) {
	var all []*Series
	var wrong []error
	for _, name := range names {
		found, err := f.find(name)
		if err != nil {
			wrong = append(wrong, err)
		}
		for _, n := range found {
			if !slices.ContainsFunc(all, func(s *Series) bool { return s.Name == n.Name }) {
				all = append(all, &Series{Number: n})
			}
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	f.ctx, f.left = ctx, maxValues
	err := f.readTruth(all, start, end)
	if err == nil {
		err = f.readTopics(all, start, end)
	}
	for _, s := range all {
		if err == nil && len(s.Time) == 0 {
			err = fmt.Errorf("%s: has no value of %s from %v on", f.path, s.Name, start)
		}
	}
	return all, err
}

// short maps short names of quantities to their full names.
var short = map[string]string{"x": "pose.x", "y": "pose.y", "z": "pose.z", "yaw": "pose.yaw"}

// find returns the numbers that a name matches.
func (f *File) find(name string) (found []Number, err error) {
	if strings.HasPrefix(name, "/") {
		collapsed := collapse(name)
		if i := slices.IndexFunc(f.numbers, func(n Number) bool { return n.Name == collapsed }); i >= 0 {
			return []Number{{Name: name, Unit: f.numbers[i].Unit}}, nil
		}
	} else {
		if body, quantity, ok := strings.Cut(name, "."); ok {
			name = body + "." + cmp.Or(short[quantity], quantity)
		}
		for _, n := range f.numbers {
			if ok, err := path.Match(name, n.Name); ok && err == nil {
				found = append(found, n)
			}
		}
		if found != nil {
			return found, nil
		}
	}
	names := make([]string, len(f.numbers))
	for i, n := range f.numbers {
		names[i] = n.Name
	}
	near := cmp.Or(rules.DidYouMean(name, names), "; omnipitch plot "+f.path+" lists those that there are")
	return nil, fmt.Errorf("%q: %s has no such number%s", name, f.path, near)
}

// add appends a value to a series.
func (f *File) add(s *Series, at time.Duration, value float64) error {
	if f.left--; f.left < 0 {
		return fmt.Errorf(
			"%s: has more than %d values of these numbers: ask for less time, or fewer numbers", f.path,
			maxValues)
	}
	if f.left%interruptedEvery == 0 && f.ctx.Err() != nil {
		return f.ctx.Err()
	}
	s.Time, s.Value = append(s.Time, at.Seconds()), append(s.Value, value)
	return nil
}
