package replay

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"sort"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/worlds"
)

// Recording is a recorded run.
type Recording struct {
	*recording.Reader
	World    *worlds.World // world at the beginning of the run
	Episodes []Episode
	Exact    bool   // whether the exact state of every step is recorded
	Late     bool   // whether the recording began during the run; then parts without exact states cannot be replayed
	Spans    []Span // parts of the run with exact states

	at time.Duration // log time of the message that is being read

	inputs []numbered
	blocks []block // in order
	frames []keyFrame
}

// Episode is the part of a run between two restarts.
type Episode struct {
	Began time.Duration // log time at which the episode began
	Seed  uint64
	Steps int64 // the last step whose state or hash was recorded

	inputs uint64   // number of inputs in earlier episodes; unknown in recordings of older versions
	hashes []hashes // hashes in the order of steps; there are none for steps with exact states
}

// hashes holds the hashes of the states of consecutive steps. The step of the first hash is first.
type hashes struct {
	first int64
	all   []uint64
}

// hash returns the hash of the state of a step. ok is false if the hash was not recorded.
func (e *Episode) hash(step int64) (hash uint64, ok bool) {
	i := sort.Search(len(e.hashes), func(i int) bool { return e.hashes[i].first > step }) - 1
	if i < 0 || step-e.hashes[i].first >= int64(len(e.hashes[i].all)) {
		return 0, false
	}
	return e.hashes[i].all[step-e.hashes[i].first], true
}

// unknown is the number of inputs in earlier episodes if a recording does not say it.
const unknown = math.MaxUint64

// numbered is an input of a run together with the number of inputs before it.
type numbered struct {
	number uint64
	at     time.Duration // log time
	omnipitch.Input
}

// keyFrame says where in the recording a key frame is.
type keyFrame struct {
	episode int
	step    int64
	inputs  uint64 // number of inputs before the key frame
	at      time.Duration
}

// maxInputs is the maximum number of inputs, which limits the memory. It is enough for three hours of ten robots with
// 50 commands per second.
const maxInputs = 6_000_000

// Open opens a recording. An incomplete recording can be opened too; then Reader.Damage describes the missing part.
// Open returns an error if the file is not a recording of a run. The caller must close the Recording.
func Open(path string) (*Recording, error) {
	reader, err := recording.Open(path)
	if err != nil {
		return nil, err
	}
	return open(reader)
}

// OpenFile is like Open for a file that is already open. name is the name of the file in errors. Close of the Recording
// closes the file, and so does OpenFile itself if it fails.
func OpenFile(f *os.File, name string) (*Recording, error) {
	reader, err := recording.OpenFile(f, name)
	if err != nil {
		return nil, err
	}
	return open(reader)
}

func open(reader *recording.Reader) (*Recording, error) {
	r := &Recording{Reader: reader, Late: reader.Metadata()[recorder.Begun] == recorder.BegunLate}
	if err := r.read(); err != nil {
		reader.Close()
		return nil, err
	}
	return r, nil
}

// read reads the world and the inputs of the recording, and finds out where the recorded states are.
func (r *Recording) read() (err error) {
	files := worlds.Bundle{}
	for _, name := range r.Attachments() {
		file, err := r.Attachment(name)
		if err != nil {
			return err
		}
		files[name] = file.Data
	}
	if r.World, err = worlds.LoadBundle(files); err != nil {
		return fmt.Errorf("%s: its world: %w", r.Path(), err)
	}
	err = r.decode(func(at time.Duration) { r.at = at },
		olderEpisodes(on(recorder.Episodes, "omnipitch_msgs/Episode", r.episode)),
		on(recorder.Commands, "omnipitch_msgs/Command", r.command),
		on(recorder.Inputs, "omnipitch_msgs/Input", r.input),
		on(recorder.Hashes, "omnipitch_msgs/Hashes", r.hashed),
		on(recorder.States, "omnipitch_msgs/Exact", r.states),
		on(recorder.KeyFrames, "omnipitch_msgs/KeyFrame", r.keyFrame))
	if err != nil {
		return err
	}
	if len(r.Episodes) == 0 {
		return fmt.Errorf("%s: has no episode: it is not a recording of a run, or one that ended before its "+
			"first step", r.Path())
	}
	r.span()
	sort.SliceStable(r.inputs, func(i, k int) bool { return r.inputs[i].number < r.inputs[k].number })
	return nil
}

// in adds the topic and the time of the message m to an error.
func (r *Recording) in(m recording.Message, err error) error {
	return fmt.Errorf("%s: topic %s at %v: %w", r.Path(), m.Channel.Topic, m.LogTime, err)
}

// handlers holds the functions that handle the messages of topics.
type handlers map[string]func(recording.Message) error

// decode decodes all messages of the topics for which adds adds handlers (see on), and calls the handlers. Before each
// message, it calls the function logged with the message's log time.
func (r *Recording) decode(logged func(time.Duration), adds ...func(handlers) error) error {
	handle := handlers{}
	for _, add := range adds {
		if err := add(handle); err != nil {
			return err
		}
	}
	for m, err := range r.All(0, func(c *recording.ChannelInfo) bool { return handle[c.Topic] != nil }) {
		if err != nil {
			return err // err already contains the file and the place
		}
		logged(m.LogTime)
		if err := handle[m.Channel.Topic](m); err != nil {
			return r.in(m, err)
		}
	}
	return nil
}

// on returns a function that adds a handler: for each message of the topic, the function do is called with the decoded
// message.
func on[T any](topic, typ string, do func(*T) error) func(handlers) error {
	return func(handle handlers) error {
		decoder, err := recorder.NewDecoder[T](typ)
		var m T
		handle[topic] = func(encoded recording.Message) error {
			if err := decoder.Decode(encoded, &m); err != nil {
				return err
			}
			return do(&m)
		}
		return err
	}
}

// olderEpisodes makes a handler of episodes accept messages of older versions, which lack the last field.
func olderEpisodes(add func(handlers) error) func(handlers) error {
	return func(handle handlers) error {
		err := add(handle)
		decode := handle[recorder.Episodes]
		handle[recorder.Episodes] = func(m recording.Message) error {
			const size = 16 + 4 + 8 // of the older message with an empty frame_id
			if len(m.Data) == size {
				m.Data = binary.LittleEndian.AppendUint64(slices.Clip(m.Data), unknown)
			}
			return decode(m)
		}
		return err
	}
}

func (r *Recording) episode(m *msg.Episode) error {
	if int(m.Episode) != len(r.Episodes) {
		return fmt.Errorf("episode = %d: must be %d", m.Episode, len(r.Episodes))
	}
	r.Episodes = append(r.Episodes, Episode{Began: r.at, Seed: m.Seed, inputs: m.Inputs})
	return nil
}

func (r *Recording) command(m *msg.Command) error { return r.add(m.Number, recorder.DecodeCommand(m)) }

func (r *Recording) input(m *msg.Input) error {
	in, err := recorder.DecodeInput(m, r.World)
	if err != nil {
		return err
	}
	return r.add(m.Number, in)
}

func (r *Recording) add(number uint64, in *omnipitch.Input) error {
	if len(r.inputs) == maxInputs {
		return fmt.Errorf("has more than %d inputs", maxInputs)
	}
	r.inputs = append(r.inputs, numbered{number, r.at, *in})
	return nil
}

func (r *Recording) hashed(m *msg.Hashes) error {
	if len(m.Hashes) == 0 || m.First > math.MaxInt64/2 {
		return fmt.Errorf("first = %d: must be the step of the first of some hashes: there are %d", m.First,
			len(m.Hashes))
	}
	if err := r.reached(m.Episode, m.First+uint64(len(m.Hashes)-1)); err != nil {
		return err
	}
	e, first := &r.Episodes[m.Episode], int64(m.First)
	if n := len(e.hashes); n > 0 {
		last := &e.hashes[n-1]
		switch end := last.first + int64(len(last.all)); {
		case first < last.first:
			return fmt.Errorf("first = %d: the hashes before begin with step %d", first, last.first)
		case first <= end: // the state of the same step again, after a body was placed
			last.all = append(last.all[:first-last.first], m.Hashes...)
			return nil
		}
	}
	e.hashes = append(e.hashes, hashes{first, slices.Clone(m.Hashes)})
	return nil
}

func (r *Recording) states(m *msg.Exact) error {
	b := block{int(m.Episode), int64(m.First), int64(m.Last), r.at}
	if n := len(r.blocks); b.last < b.first || n > 0 && (b.episode < r.blocks[n-1].episode ||
		b.episode == r.blocks[n-1].episode && b.first < r.blocks[n-1].last) {
		return fmt.Errorf("states of steps %d to %d: must follow the states before", b.first, b.last)
	}
	r.blocks = append(r.blocks, b)
	return r.reached(m.Episode, m.Last)
}

func (r *Recording) keyFrame(m *msg.KeyFrame) error {
	r.frames = append(r.frames, keyFrame{int(m.Episode), int64(m.Step), m.Inputs, r.at})
	return nil
}

// reached notes that the recording contains the state of a step.
func (r *Recording) reached(episode uint32, step uint64) error {
	if int(episode) >= len(r.Episodes) {
		return fmt.Errorf("episode = %d: only %d have begun", episode, len(r.Episodes))
	}
	e := &r.Episodes[episode]
	if step > math.MaxInt64/2 {
		return fmt.Errorf("step = %d: must be one of a run", step)
	}
	e.Steps = max(e.Steps, int64(step))
	return nil
}

// Steps returns the number of steps whose states were recorded, in all episodes together.
func (r *Recording) Steps() (n int64) {
	for i := range r.Episodes {
		n += r.Episodes[i].Steps + 1
	}
	return n
}

// Begin returns the earliest time that can be replayed, counted from the beginning of the run. It is 0 unless the
// recording is Late. ok is false if nothing can be replayed.
func (r *Recording) Begin() (at time.Duration, ok bool) {
	if !r.Late {
		return 0, true
	}
	for i := range r.frames {
		if f := &r.frames[i]; len(r.Spans) > 0 && f.at >= r.Spans[0].From {
			return f.at, true
		}
	}
	return 0, false
}

// Length returns the duration of all episodes of the run together. If the recording is Late, the duration includes the
// part of the run before the recording began.
func (r *Recording) Length() time.Duration {
	last := r.Episodes[len(r.Episodes)-1]
	return last.Began + time.Duration(last.Steps)*r.World.Time.Step
}
