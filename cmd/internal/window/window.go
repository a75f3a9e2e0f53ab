// Package window shows a run in a window: the image of the viewer's own camera or of a robot's camera, robots' images
// as insets, and overlays that the user chooses. Keys can drive a robot.
package window

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/omnipitch/omnipitch"
	glwindow "github.com/omnipitch/omnipitch/render/window"
)

// Window is a window on the screen. It is empty until Run shows a simulation in it.
type Window struct{ *glwindow.Window }

// Open opens a window and locks the calling goroutine to its thread. Only that goroutine may use the window; it must
// close it.
func Open(title string) (Window, error) {
	runtime.LockOSThread()
	const width, height = 960, 720
	w, err := glwindow.Open(title, width, height)
	return Window{w}, err
}

// Replay is how the window controls a replay. Times are since the start of the recorded run.
type Replay struct {
	Stop     func()        // cancels a seek in progress
	From, To time.Duration // the range that can be shown
	// Seek continues the run from another time. It returns when the state of that time has been reached.
	Seek func(ctx context.Context, to time.Duration) error
	Now  func() time.Duration // returns the present time; the goroutine that steps calls it
}

// Run runs a simulation until the run ends or the window is closed. replay is nil for a run that is not a replay. The
// report is nil if the window was closed during a seek.
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
	pace.Paused, pace.Progress = s.copyState, nil
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
