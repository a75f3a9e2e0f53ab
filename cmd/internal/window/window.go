// Package window shows a run in a window: what the viewer's camera or a robot's camera sees, robots' images as insets,
// and over them what the user asks for. Hands play in it, by mouse, keys and gamepad.
package window

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/omnipitch/omnipitch"
	glwindow "github.com/omnipitch/omnipitch/render/gl/window"
)

// Window is an empty window until Run shows a simulation in it.
type Window struct{ *glwindow.Window }

// Open opens a window. It belongs to the calling goroutine, which keeps its thread from then on; the caller closes it.
func Open(title string) (Window, error) {
	runtime.LockOSThread()
	const width, height = 960, 720
	w, err := glwindow.Open(title, width, height)
	return Window{w}, err
}

// Replay is what the window can do with a recording that is played. Times are since the recorded run began.
type Replay struct {
	Stop     func()        // ends a run that is on its way to another time
	From, To time.Duration // what can be shown
	// has the run go on from another time, and returns when that has been shown
	Seek func(ctx context.Context, to time.Duration) error
	Now  func() time.Duration // for the goroutine that steps
}

// Run runs a simulation until the run ends or the window is closed. replay is nil for a run that is none. The report is
// nil if the window was closed while the replay was on its way to another time.
func (w Window) Run(ctx context.Context, sim *omnipitch.Sim, replay *Replay, pace omnipitch.Pace) (*omnipitch.Report,
	error) {
	return run(ctx, w.Window, sim, replay, pace)
}

func run(ctx context.Context, on display, sim *omnipitch.Sim, replay *Replay, pace omnipitch.Pace) (*omnipitch.Report,
	error) {
	s, err := newScreen(on, sim, replay)
	if err != nil {
		return nil, err
	}
	defer s.close()
	pace.Paused, pace.Progress = s.take, nil
	outside := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var report *omnipitch.Report
	var runErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		report, runErr = sim.Run(ctx, pace)
	}()
	err = s.loop(ctx, done)
	cancel()
	if replay != nil {
		replay.Stop()
	}
	<-done
	s.seeking.Wait()
	if errors.Is(runErr, context.Canceled) && outside.Err() == nil {
		return nil, err
	} else if runErr != nil {
		return nil, runErr
	}
	return report, err
}
