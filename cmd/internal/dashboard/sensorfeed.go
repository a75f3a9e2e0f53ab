package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// Durations of wall time. The values are guesses.
const (
	idleTime = 2 * time.Second // the listener to a camera is removed after this time without a request
	// the age up to which a frame is shown; frames are kept for the same time after a request
	freshTime = 100 * time.Millisecond
	pollTime  = 5 * time.Second // how long a request waits for a frame
)

// errNoFrame is returned if no frame has arrived within pollTime.
var errNoFrame = errors.New("no frame has arrived")

// feeds are the sensors that clients watch.
type feeds struct {
	sim    *omnipitch.Sim
	states *states
	mu     sync.Mutex
	all    map[[2]string]*feed
}

// find returns the feed of a camera if the argument camera is true. Otherwise it returns the feed of a sensor that is
// not a camera. It fails if there is no such sensor.
func (f *feeds) find(robot, sensor string, camera bool) (*feed, error) {
	_, err := f.sim.Sensors().Level(robot, sensor)
	_, is := f.sim.Sensors().Model(robot, sensor)
	switch {
	case err != nil || !is && camera:
		kind := "sensor"
		if camera {
			kind = "camera"
		}
		return nil, statusError{fmt.Errorf("there is no %s %.80s.%.80s", kind, robot, sensor), http.StatusNotFound}
	case is && !camera:
		return nil, statusError{fmt.Errorf("%.80s.%.80s is a camera: ask for it among the cameras", robot, sensor),
			http.StatusNotFound}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	name := [2]string{robot, sensor}
	if f.all[name] == nil {
		one := &feed{sim: f.sim, states: f.states, robot: robot, sensor: sensor, camera: camera,
			came: make(chan struct{})}
		one.listening = demand{idle: idleTime, begin: one.listen}
		f.all[name] = one
	}
	return f.all[name], nil
}

// close removes all listeners.
func (f *feeds) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.all {
		one.listening.close()
	}
}

// feed keeps the newest frame of a sensor for all clients that watch it. It asks the simulation for frames only while
// requests arrive, and at their rate.
type feed struct {
	sim           *omnipitch.Sim
	states        *states
	robot, sensor string
	camera        bool
	asked         [8]atomic.Int64 // wall time of the last request for each overlay, ns

	waiting atomic.Int32 // number of requests that wait for a frame
	served  atomic.Int64 // wall time of the last answer, ns

	listening demand
	mu        sync.Mutex
	listens   bool          // there is a listener
	frame     *frame        // the newest frame; nil: there is none
	came      chan struct{} // closed when a frame arrives
	serial    uint64
	still     moment // the moment of the paused run at which frame was captured
	capturing bool
	err       error // why the last capture failed
	rim       rim
}

// moment identifies a state of a paused run.
type moment struct {
	paused  bool
	at      time.Duration
	changes int64
	level   abstraction.Level
	parts   sensors.OverlayParts
}

// next waits for a frame whose serial number is greater than the given one, and returns that frame. The caller must
// release the frame. The frame has the data for the given overlays, except perhaps for overlays that no request has
// asked for recently.
func (f *feed) next(ctx context.Context, after uint64, with overlays) (*frame, error) {
	ctx, cancel := context.WithTimeout(ctx, pollTime)
	defer cancel()
	f.waiting.Add(1)
	for i := range f.asked {
		if with&(1<<i) != 0 {
			f.asked[i].Store(time.Now().UnixNano())
		}
	}
	defer func() {
		f.served.Store(time.Now().UnixNano())
		f.waiting.Add(-1)
	}()
	look := time.NewTicker(freshTime) // checks whether the run has paused or changed
	defer look.Stop()
	for {
		if err := f.listening.renew(); err != nil {
			return nil, err
		}
		now := f.moment()
		f.mu.Lock()
		came := f.came
		if f.frame != nil && f.frame.serial > after && (f.still == now && now.paused ||
			time.Since(f.frame.came) < freshTime || now.paused && !f.camera) {
			got := f.frame
			got.obs.Retain()
			f.mu.Unlock()
			return got, nil
		}
		err := f.err
		f.err = nil
		if now.paused && f.camera && f.still != now && !f.capturing && err == nil {
			f.capturing = true
			f.sim.Clock().After(0, func(time.Duration) { f.capture(now) })
		}
		f.mu.Unlock()
		if err != nil {
			return nil, err
		}
		select {
		case <-came:
		case <-look.C:
		case <-ctx.Done():
			return nil, errNoFrame
		}
	}
}

// moment returns the present moment if the run is paused. Otherwise it returns the zero moment.
func (f *feed) moment() moment {
	clock := f.sim.Clock()
	if !clock.Paused() {
		return moment{}
	}
	level, _ := f.sim.Sensors().Level(f.robot, f.sensor)
	return moment{true, clock.Time(), f.states.changes.Load(), level, f.overlays().parts()}
}

// overlays returns the overlays that clients wait for or have asked for recently.
func (f *feed) overlays() (all overlays) {
	now := time.Now().UnixNano()
	for i := range f.asked {
		if at := f.asked[i].Load(); at > 0 && now-at < int64(pollTime+freshTime) {
			all |= 1 << i
		}
	}
	return all
}

// wanted reports whether a client waits for a frame or has received one recently.
func (f *feed) wanted() bool {
	return f.waiting.Load() > 0 || time.Since(time.Unix(0, f.served.Load())) < freshTime
}

// listen adds the feed's listener to the sensor. The result end removes it and releases the frame.
func (f *feed) listen() (end func(), err error) {
	remove, err := f.sim.Listen(f.robot, f.sensor, omnipitch.Listener{
		Wants: func(abstraction.Level) bool { return f.wanted() },
		Overlay: func() sensors.OverlayParts {
			switch {
			case !f.wanted():
				return 0
			case !f.camera:
				return sensors.OverlayPoses
			}
			return f.overlays().parts()
		},
		Observe: func(o *sensors.Observation) {
			if f.wanted() {
				o.Retain()
				f.show(o, moment{})
			}
		},
	})
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listens = true
	return func() {
		remove()
		f.mu.Lock()
		defer f.mu.Unlock()
		f.listens = false
		if f.frame != nil {
			f.frame.release()
			f.frame, f.still = nil, moment{}
		}
	}, nil
}

// show makes an observation the newest frame. The feed takes over the observation. The goroutine that steps calls show.
func (f *feed) show(o *sensors.Observation, still moment) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.listens { // the listener is not registered yet, or has been removed
		o.Release()
		return
	}
	if f.frame != nil {
		f.frame.release()
	}
	f.serial++
	f.frame, f.still = &frame{obs: o, feed: f, serial: f.serial, came: time.Now()}, still
	close(f.came)
	f.came = make(chan struct{})
}

// capture makes a frame of a paused run. The goroutine that steps calls capture.
func (f *feed) capture(of moment) {
	o, err := f.sim.Sensors().CaptureOverlaid(f.robot, f.sensor, of.level, of.parts)
	if err == nil {
		f.show(o, of)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.capturing, f.err = false, err
}
