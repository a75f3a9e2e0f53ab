package recorder

import (
	"errors"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/track"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// keyFrameEvery is the sim time between two key frames: to go to a moment takes the steps since the one before, some 25
// ms for five hundred.
const keyFrameEvery = 2500 * time.Millisecond

// states writes the state of every step: exactly, with key frames, or a hash of it.
type states struct {
	hashLog  *track.Log
	exactLog *track.Log           // nil: there are hashes alone
	hashes   output[msg.Hashes]   // of the one log's goroutine,
	blocks   output[msg.Exact]    // of the other's
	frames   output[msg.KeyFrame] // of the goroutine that steps, as all that follows
	on       bool                 // states are exact if they may be
	engine   *track.Recorder      // of the present episode
	due      time.Duration        // of the next key frame
	data     []byte

	mu    sync.Mutex
	began []time.Duration // of each episode, log time
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

// exact tells whether states are exact now.
func (s *states) exact() bool { return s.on && s.exactLog != nil }

// log returns where states go.
func (s *states) log() *track.Log {
	if s.exact() {
		return s.exactLog
	}
	return s.hashLog
}

// record has the states of an engine written, of a world that began at a log time.
func (s *states) record(engine physics.Engine, model *physics.Model, began time.Duration) physics.Engine {
	s.mu.Lock()
	episode := len(s.began)
	s.began = append(s.began, began)
	s.mu.Unlock()
	s.due = 0
	s.engine = track.NewRecorder(engine, model, episode, s.log())
	return s.engine
}

// turn has states of later steps be exact if they may be, or not.
func (s *states) turn(on bool) {
	s.on, s.due = on, 0 // a key frame comes with the first exact state
	s.engine.To(s.log())
	s.flush()
}

// flush has the states that have come written soon.
func (s *states) flush() {
	s.hashLog.Flush()
	if s.exactLog != nil {
		s.exactLog.Flush()
	}
}

// close writes all that have come.
func (s *states) close() error {
	err := s.hashLog.Close()
	if s.exactLog != nil {
		err = errors.Join(err, s.exactLog.Close())
	}
	return err
}

// episode returns when an episode began, log time.
func (s *states) episode(n int) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.began[n]
}

// coded writes a block of exact states.
func (s *states) coded(h track.Header, block []byte) {
	s.blocks.message = msg.Exact{Episode: uint32(h.Episode), First: uint64(h.First), Last: uint64(h.Last), Data: block}
	s.blocks.write(s.episode(h.Episode)+h.To, h.To)
}

// hashed writes hashes.
func (s *states) hashed(h track.Header, hashes []uint64) {
	s.hashes.message = msg.Hashes{Episode: uint32(h.Episode), First: uint64(h.First), Hashes: hashes}
	s.hashes.write(s.episode(h.Episode)+h.To, h.To)
}

// keyFrame writes a key frame if one is due, which may count further inputs. It is called between two steps.
func (s *states) keyFrame(sim *omnipitch.Sim, inputs *uint64) {
	now := sim.Truth()
	if !s.exact() || now.Time < s.due {
		return
	}
	if s.data = sim.AppendKeyFrame(s.data[:0]); len(s.data) == 0 { // the world is about to begin again
		return
	}
	s.due = now.Time - now.Time%keyFrameEvery + keyFrameEvery
	s.frames.message = msg.KeyFrame{Episode: uint32(len(s.began) - 1), Step: uint64(now.Step), Inputs: *inputs,
		Data: s.data}
	s.frames.write(s.began[len(s.began)-1]+now.Time, now.Time)
}
