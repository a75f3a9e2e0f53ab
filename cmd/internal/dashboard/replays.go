package dashboard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/admission"
	"github.com/omnipitch/omnipitch/robotio/replay"
	"github.com/omnipitch/omnipitch/timesync"
)

// Limits of replays next to the run.
const (
	mostReplays = 4
	// unseenTime is the wall time after which a replay is closed if no request has come and no client follows its
	// states.
	unseenTime = time.Minute
)

// replays are recordings that pages play next to the run. They publish nothing.
type replays struct {
	ctx     context.Context // its end ends all replays; the field wait waits for them
	folders *folders
	options omnipitch.Options
	waiting *admission.Places // see simServer
	unseen  atomic.Int64      // unseenTime in ns; tests shorten it

	mu    sync.Mutex
	all   map[int]*besideReplay // by id; a nil entry is a replay that is being opened
	count int                   // number of replays opened so far
	wait  sync.WaitGroup
}

// besideReplay is a replay next to the run.
type besideReplay struct {
	*simServer
	id        int
	recording *recordingFile
	end       context.CancelFunc // ends its run
	ended     chan struct{}
	requests  atomic.Int32
	seen      atomic.Int64 // wall time of the end of the last request, ns
}

// replayedJSON describes an open replay.
type replayedJSON struct {
	ID        int    `json:"replay"`
	Recording string `json:"recording"` // id
	Name      string `json:"name"`
}

var errTooMany = statusError{fmt.Errorf("%d recordings are open: must be at most %d: close a page that shows one",
	mostReplays, mostReplays), http.StatusServiceUnavailable}

// start runs a replay. b.end ends it.
func (x *replays) start(ctx context.Context, file *recordingFile, number int, at time.Duration) (*besideReplay, error) {
	opened, err := file.root.Open(file.name)
	if err != nil {
		return nil, errNoRecording
	}
	rec, err := replay.OpenFile(opened, file.name)
	if err != nil {
		return nil, err
	}
	running, end := context.WithCancel(x.ctx)
	played, err := rec.NewSim(running, x.options, replay.Config{Hold: true})
	if err != nil {
		end()
		rec.Close()
		return nil, err
	}
	b := &besideReplay{simServer: newSimServer(running, played.Sim, played, x.waiting), id: number, recording: file,
		end: end, ended: make(chan struct{})}
	b.seen.Store(time.Now().UnixNano())
	go func() {
		defer close(b.ended)
		_, _ = played.Run(running, omnipitch.Pace{Speed: timesync.RealTime}) // the timeline reports damage
		end()
		b.simServer.close()
		played.Close()
		rec.Close()
	}()
	if at > 0 {
		span := played.Span()
		if err := played.Seek(ctx, min(max(at, span.From), span.To)); err != nil {
			end()
			<-b.ended
			return nil, err
		}
	}
	return b, nil
}

// keep closes a replay after unseenTime without a client, or when its run has ended.
func (x *replays) keep(b *besideReplay) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-b.ended:
			running = false
		case <-tick.C:
			running = b.requests.Load() > 0 || time.Since(time.Unix(0, b.seen.Load())) < time.Duration(x.unseen.Load())
		}
	}
	b.end()
	<-b.ended
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.all, b.id)
}

// routes registers the requests about replays, and forwards requests to them.
func (x *replays) routes(mux *http.ServeMux) {
	mux.Handle("GET /api/replays", answers(x.list))
	mux.Handle("POST /api/replays", commands(x.open))
	mux.HandleFunc("GET /api/replays/{replay}/", x.forward)
	mux.HandleFunc("POST /api/replays/{replay}/", x.forward)
}

func (x *replays) list(*http.Request) (any, error) {
	all := []replayedJSON{}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(x.all)) {
		if b := x.all[id]; b != nil {
			all = append(all, replayedJSON{b.id, b.recording.id, b.recording.name})
		}
	}
	return map[string]any{"replays": all}, nil
}

// take reserves a place for a replay, and returns the replay's id. If all places are taken, it closes the replay that
// has had no client for the longest time.
func (x *replays) take() (number int, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.all) >= mostReplays {
		var unused *besideReplay
		for _, b := range x.all {
			if b != nil && b.requests.Load() == 0 && (unused == nil || b.seen.Load() < unused.seen.Load()) {
				unused = b
			}
		}
		if unused == nil {
			return 0, errTooMany
		}
		delete(x.all, unused.id)
		unused.end()
		<-unused.ended
	}
	x.count++
	x.all[x.count] = nil
	return x.count, nil
}

// open opens a recording and plays it from a time, which counts from the start of the recorded run.
func (x *replays) open(ctx context.Context, body []byte) (any, error) {
	var in struct {
		Recording string  `json:"recording"`
		Time      float64 `json:"time_s"`
	}
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	if !(in.Time >= 0 && in.Time < 1e9) {
		return nil, fmt.Errorf("time_s = %v: must lie in [0, 1e9)", in.Time)
	}
	file, err := x.folders.find(in.Recording)
	if err != nil {
		return nil, err
	}
	number, err := x.take()
	if err != nil {
		return nil, err
	}
	b, err := x.start(ctx, file, number, time.Duration(in.Time*float64(time.Second)))
	x.mu.Lock()
	defer x.mu.Unlock()
	if err != nil {
		delete(x.all, number)
		return nil, err
	}
	x.all[number] = b
	x.wait.Go(func() { x.keep(b) })
	return replayedJSON{b.id, b.recording.id, b.recording.name}, nil
}

// forward forwards a request to a replay.
func (x *replays) forward(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("replay")
	id, _ := strconv.Atoi(name)
	x.mu.Lock()
	b := x.all[id]
	if b != nil {
		b.requests.Add(1)
	}
	x.mu.Unlock()
	if b == nil {
		refuse(w, statusError{errors.New("there is no such replay: it is closed when no page has shown it for a minute"),
			http.StatusNotFound})
		return
	}
	defer func() {
		b.seen.Store(time.Now().UnixNano())
		b.requests.Add(-1)
	}()
	within := *r
	within.URL = new(*r.URL)
	within.URL.Path = strings.Replace(r.URL.Path, "/replays/"+name, "", 1)
	within.URL.RawPath = strings.Replace(r.URL.RawPath, "/replays/"+name, "", 1)
	b.ServeHTTP(w, &within)
}
