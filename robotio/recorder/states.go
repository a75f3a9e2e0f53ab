package recorder

import (
	"errors"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/track"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recording"
)

// keyFrameEvery is the sim time between key frames. A seek computes all steps since the last key frame: 500 steps take
// about 25 ms.
const keyFrameEvery = 2500 * time.Millisecond

// states writes the state of every step to the recording: exact states with key frames, or hashes of states.
type states struct {
	hashLog  *track.Log
	exactLog *track.Log         // log of exact states; nil if only hashes are recorded
	hashes   output[msg.Hashes] // used only by the goroutine of hashLog
	blocks   output[msg.Exact]  // used only by the goroutine of exactLog
	// this field and the fields below are used only by the goroutine that steps the simulation
	frames output[msg.KeyFrame]
	on     bool            // whether exact states are recorded, if there is an exactLog
	engine *track.Recorder // engine of the current episode
	due    time.Duration   // time at which the next key frame is written
	data   []byte

	mu    sync.Mutex
	began []time.Duration // log time at which each episode began, by index of the episode
}

func (s *states) open(w *recording.Writer, exact bool) error {
	s.hashLog = track.NewHashLog(s.hashed)
	if err := s.hashes.open(w, Hashes, "omnipitch_msgs/Hashes"); err != nil || !exact {
		return err
	}
	s.exactLog = track.NewLog(s.coded)
	if err := s.blocks.open(w, States, "omnipitch_msgs/Exact"); err != nil {
		return err
	}
	return s.frames.open(w, KeyFrames, "omnipitch_msgs/KeyFrame")
}

// exact reports whether exact states are recorded now.
func (s *states) exact() bool { return s.on && s.exactLog != nil }

// log returns the log that receives the states at present: exactLog or hashLog.
func (s *states) log() *track.Log {
	if s.exact() {
		return s.exactLog
	}
	return s.hashLog
}

// record returns an engine that records the states of the given engine. began is the log time at which the episode
// began.
func (s *states) record(engine physics.Engine, model *physics.Model, began time.Duration) physics.Engine {
	s.mu.Lock()
	episode := len(s.began)
	s.began = append(s.began, began)
	s.mu.Unlock()
	s.due = 0
	s.engine = track.NewRecorder(engine, model, episode, s.log())
	return s.engine
}

// turn switches between recording exact states and recording hashes. The change takes effect with the next step.
func (s *states) turn(on bool) {
	s.on, s.due = on, 0 // a key frame is written together with the first exact state
	s.engine.To(s.log())
	s.flush()
}

// flush makes the logs write the states that are in their buffers.
func (s *states) flush() {
	s.hashLog.Flush()
	if s.exactLog != nil {
		s.exactLog.Flush()
	}
}

// close writes all remaining states.
func (s *states) close() error {
	err := s.hashLog.Close()
	if s.exactLog != nil {
		err = errors.Join(err, s.exactLog.Close())
	}
	return err
}

// episode returns the log time at which the episode with index n began.
func (s *states) episode(n int) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.began[n]
}

// coded writes a block of exact states to the recording.
func (s *states) coded(h track.Header, block []byte) {
	s.blocks.message = msg.Exact{Episode: uint32(h.Episode), First: uint64(h.First), Last: uint64(h.Last), Data: block}
	s.blocks.write(s.episode(h.Episode)+h.To, h.To)
}

// hashed writes a block of hashes to the recording.
func (s *states) hashed(h track.Header, hashes []uint64) {
	s.hashes.message = msg.Hashes{Episode: uint32(h.Episode), First: uint64(h.First), Hashes: hashes}
	s.hashes.write(s.episode(h.Episode)+h.To, h.To)
}

// keyFrame writes a key frame if one is due. Writing a key frame may add inputs, and then keyFrame increases *inputs,
// the number of inputs. It is called between two steps.
func (s *states) keyFrame(sim *omnipitch.Sim, inputs *uint64) {
	now := sim.Truth()
	if !s.exact() || now.Time < s.due {
		return
	}
	// the key frame is empty if the world is about to restart
	if s.data = sim.Replay().AppendKeyFrame(s.data[:0]); len(s.data) == 0 {
		return
	}
	s.due = now.Time - now.Time%keyFrameEvery + keyFrameEvery
	s.frames.message = msg.KeyFrame{Episode: uint32(len(s.began) - 1), Step: uint64(now.Step), Inputs: *inputs,
		Data: s.data}
	s.frames.write(s.began[len(s.began)-1]+now.Time, now.Time)
}
