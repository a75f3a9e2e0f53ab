package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// speaker lets a program such as espeak-ng say aloud what robots say. It has a queue for each priority, as the node of
// Bestmann's thesis. Text of a higher priority is said first; it does not interrupt what is being said. A text that
// waits already is not said twice, and a queue that is full loses its oldest text.
type speaker struct {
	command []string
	failed  func(error)

	mu      sync.Mutex
	waiting [3][]string // by priority
	talking bool        // a goroutine says what waits
	closed  bool
	running *exec.Cmd
	done    sync.WaitGroup
}

// maxWaiting is the length of each queue. It is a guess: older texts would come too late.
const maxWaiting = 10

// newSpeaker returns a speaker for the command of --speak: a program that says its standard input, with arguments. The
// function failed is called with the first error of the program.
func newSpeaker(command string, failed func(error)) (*speaker, error) {
	fields := strings.Fields(command)
	if len(fields) == 0 {
		return nil, console.BadInputf("--speak: must name a program, such as espeak-ng")
	}
	path, err := exec.LookPath(fields[0])
	if err != nil {
		return nil, console.Unavailablef("--speak: %w", err)
	}
	return &speaker{command: append([]string{path}, fields[1:]...), failed: failed}, nil
}

// say queues a text. It never blocks.
func (s *speaker) say(speech action.Speak) {
	text := speech.String()
	s.mu.Lock()
	defer s.mu.Unlock()
	q := &s.waiting[speech.Priority]
	if s.closed || slices.Contains(*q, text) {
		return
	}
	if *q = append(*q, text); len(*q) > maxWaiting {
		*q = slices.Delete(*q, 0, 1)
	}
	if !s.talking {
		s.talking = true
		s.done.Go(s.talk)
	}
}

// start starts the command that says the next text. It returns nil if no text waits.
func (s *speaker) start() (*exec.Cmd, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = nil
	for i := range slices.Backward(s.waiting[:]) {
		if q := &s.waiting[i]; len(*q) > 0 && !s.closed {
			cmd := exec.Command(s.command[0], s.command[1:]...)
			cmd.Stdin = strings.NewReader((*q)[0] + "\n")
			*q = slices.Delete(*q, 0, 1)
			err := cmd.Start()
			if err == nil {
				s.running = cmd
			}
			return cmd, err
		}
	}
	s.talking = false
	return nil, nil
}

// talk says what waits, one text after the other.
func (s *speaker) talk() {
	for {
		cmd, err := s.start()
		if cmd == nil {
			return
		}
		if err == nil {
			err = cmd.Wait()
		}
		if err != nil {
			s.fail(err)
		}
	}
}

// fail reports the first error, unless Close has caused it.
func (s *speaker) fail(err error) {
	s.mu.Lock()
	failed := s.failed
	if s.failed = nil; s.closed {
		failed = nil
	}
	s.mu.Unlock()
	if failed != nil {
		failed(fmt.Errorf("--speak %s: %w", s.command[0], err))
	}
}

// Close ends what is being said, and drops what waits.
func (s *speaker) Close() {
	s.mu.Lock()
	s.closed = true
	if s.running != nil {
		s.running.Process.Kill()
	}
	s.mu.Unlock()
	s.done.Wait()
}
