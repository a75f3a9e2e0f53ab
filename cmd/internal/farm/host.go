// Package farm lets workers render the images of a run. Workers are other processes, which may run on other machines
// and connect over NATS. The result is the same as without workers: the images have the same bytes and arrive at the
// same stamps.
//
// The process of the run has a [Host], which is an omnipitch.Farm. The Host sends the world once, and then for each
// instant the data that the images depend on. A [Worker] has a simulation of the same world, which never makes a step.
// It renders the images and sends them back. Each camera has an owner: a worker or the process of the run. If the owner
// is silent or late for longer than the lease, the camera moves to another owner, and the process of the run renders
// the missing images. Before a worker gets a camera, it must render a frame of the camera that another process renders,
// too. If the bytes of the two frames differ, the worker is refused.
//
//	host, err := farm.New(farm.Config{Conn: conn, Version: version, Renderer: backend.Auto,
//		Lease: farm.DefaultLease, Here: true})
//	sim, err := omnipitch.New(world, omnipitch.Options{Farm: host})
//
//	worker := farm.Worker{Name: "lab-2", Version: version, NewSim: newSim}
//	drawn, err := worker.Serve(ctx, conn)
package farm

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/worlds"
)

// DefaultLease is the default of Config.Lease. Robots can continue without images for this time. It is longer than a
// worker on a busy machine is usually delayed.
const DefaultLease = 500 * time.Millisecond

// Config configures a Host.
type Config struct {
	Conn     *nats.Conn // the Host closes it
	Version  string     // of this program
	Renderer string     // as in omnipitch.Options
	Samples  int        // samples per pixel of backend.Reference
	Lease    time.Duration
	Here     bool // this process also renders while there are workers
	// Notify, if not nil, is called from any goroutine with a message when a worker comes or goes. It must not call
	// methods of the Host.
	Notify func(text string)
}

// Host lets workers render the images of a run. It is an omnipitch.Farm.
type Host struct {
	cfg   Config
	stop  chan struct{}
	watch sync.WaitGroup
	hello *nats.Subscription

	mu      sync.Mutex
	sim     *omnipitch.Sim
	world   *worlds.World
	entry   Entry
	bundle  []byte // nil if workers cannot get the world
	at      subjects
	joining []*nats.Subscription
	peers   []*peer
	past    []Share     // shares of peers that have left
	cameras []camera    // by index of the sensor
	here    drawer      // this process
	owed    [][]*ticket // frames that this process must render for workers, one list per order
	saved   int         // number of frames that were ever in owed
	orders  uint64
	evened  time.Time // time at which cameras were last reassigned
	buffer  []byte
}

// drawer is a process that renders images: this process or a worker.
type drawer struct {
	meter  meter
	frames int // number of frames rendered
}

// camera is a sensor with images.
type camera struct {
	owner  *peer  // nil if this process is the owner
	tag    uint64 // tag of the newest frame
	pixels int    // pixels rendered since rates were last measured
	rate   float64
}

// New returns a Host, which answers workers that ask for runs.
func New(cfg Config) (*Host, error) {
	if cfg.Notify == nil {
		cfg.Notify = func(string) {}
	}
	h := &Host{cfg: cfg, stop: make(chan struct{})}
	var err error
	if h.hello, err = cfg.Conn.Subscribe(hello, h.answerHello); err != nil {
		return nil, fmt.Errorf("NATS: %w", err)
	}
	h.watch.Go(h.monitor)
	return h, nil
}

// Begin starts to let workers render images of a world: see [omnipitch.Farm].
func (h *Host) Begin(sim *omnipitch.Sim, world *worlds.World) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sim = sim
	if h.world == world {
		return
	}
	h.end("the run goes on in another world")
	h.world, h.bundle, h.cameras = world, nil, nil
	for i := range world.Robots {
		h.cameras = append(h.cameras, make([]camera, len(world.Robots[i].Sensors))...)
	}
	files, err := mapping.Bundle(world)
	var data []byte
	var sum string
	if err == nil {
		data, sum, err = cluster.Pack(files)
	}
	if err == nil && len(data) > mostWorld {
		err = fmt.Errorf("it has %d bytes: at most %d", len(data), mostWorld)
	}
	if err != nil {
		h.cfg.Notify(fmt.Sprintf("workers cannot get the world: %v", err))
		return
	}
	h.bundle = data
	renderer := h.cfg.Renderer
	if renderer == "" || renderer == backend.Auto {
		renderer = sim.Sensors().ChooseRenderer().Name // workers do not choose for themselves
	}
	h.entry = Entry{
		ID: rand.Text(), Name: world.Name, Version: h.cfg.Version, Renderer: renderer, Samples: h.cfg.Samples,
		Lease: h.cfg.Lease, World: len(data), Sum: sum,
	}
	h.at = newSubjects(h.entry.ID)
	for subject, answer := range map[string]nats.MsgHandler{h.at.join(): h.answerJoin, h.at.world(): h.answerWorld} {
		sub, err := h.cfg.Conn.Subscribe(subject, answer)
		if err != nil {
			h.cfg.Notify(fmt.Sprintf("workers cannot join: NATS: %v", err))
			return
		}
		h.joining = append(h.joining, sub)
	}
}

// end tells the workers that the run needs no more images of its world, and the reason. It removes all workers. No
// frames for robots may be in progress. The caller holds mu.
func (h *Host) end(reason string) {
	if h.bundle != nil {
		_ = h.cfg.Conn.Publish(h.at.host(), []byte(reason)) // if this fails, the workers notice that the run is silent
	}
	for _, sub := range h.joining {
		_ = sub.Unsubscribe() // fails only without a connection
	}
	for _, p := range slices.Clone(h.peers) {
		h.forget(p)
	}
	h.joining = nil
}

// Close ends the work of all workers and closes the connection. The Sim must be closed before.
func (h *Host) Close() {
	close(h.stop)
	h.watch.Wait()
	h.mu.Lock()
	h.end("the run is over")
	h.mu.Unlock()
	_ = h.hello.Unsubscribe()
	_ = h.cfg.Conn.FlushTimeout(time.Second) // workers that miss it notice that the run is silent
	h.cfg.Conn.Close()
}

func (h *Host) answerHello(m *nats.Msg) {
	h.mu.Lock()
	e, known := h.entry, h.bundle != nil
	e.Workers, e.Begins = len(h.peers), h.world == nil
	h.mu.Unlock()
	if known || e.Begins {
		respond(m, e)
	}
}

func respond(m *nats.Msg, v any) {
	data, err := json.Marshal(v)
	if err == nil && m.Reply != "" {
		_ = m.Respond(data) // the worker will ask again
	}
}

func (h *Host) answerWorld(m *nats.Msg) {
	h.mu.Lock()
	data := h.bundle
	h.mu.Unlock()
	from, err := strconv.Atoi(string(m.Data))
	if err != nil || from < 0 || from >= len(data) || m.Reply == "" {
		return
	}
	_ = m.Respond(data[from:min(from+worldChunk, len(data))])
}

// answerJoin answers the request of a worker to join the run. It admits the worker or answers why it does not.
func (h *Host) answerJoin(m *nats.Msg) {
	var r Request
	if err := json.Unmarshal(m.Data, &r); err != nil || r.ID == "" || strings.ContainsAny(r.ID, ".*> \t\r\n") ||
		max(len(r.ID), len(r.Name), len(r.Draws)) > mostText {
		respond(m, Answer{Refused: "the request to join is damaged"})
		return
	}
	if r.Version != h.cfg.Version {
		respond(m, Answer{Refused: otherVersion(h.cfg.Version, r.Version)})
		return
	}
	h.mu.Lock()
	err := h.admit(&r)
	h.mu.Unlock()
	if err != nil {
		respond(m, Answer{Refused: err.Error()})
		return
	}
	respond(m, Answer{})
}

// draws returns a description of the renderer of this process. The caller holds mu.
func (h *Host) draws() string { return backend.Machine(h.entry.Renderer) }

func otherVersion(run, worker string) string {
	return fmt.Sprintf("the run has version %q, the worker %q", run, worker)
}

// admit adds a worker to the run. If the worker has been added before, admit only notes that it is alive. The caller
// holds mu.
func (h *Host) admit(r *Request) error {
	now := time.Now()
	if i := slices.IndexFunc(h.peers, func(p *peer) bool { return p.id == r.ID }); i >= 0 {
		h.peers[i].heard = now
		return nil
	}
	if len(h.peers) == mostWorkers {
		return fmt.Errorf("the run already has the maximum of %d workers", mostWorkers)
	}
	p := &peer{host: h, at: h.at, id: r.ID, name: strings.ToValidUTF8(r.Name, "?"), draws: strings.ToValidUTF8(r.Draws,
		"?"), heard: now, proven: map[proof]bool{}}
	var err error
	if p.sub, err = h.cfg.Conn.Subscribe(h.at.frame(r.ID), p.receive); err == nil {
		p.pulse, err = h.cfg.Conn.Subscribe(h.at.here(r.ID), p.hear)
	}
	if err == nil {
		err = p.sub.SetPendingLimits(-1, 512<<20)
	}
	if err != nil {
		return errors.New("NATS: " + err.Error())
	}
	h.peers = append(h.peers, p)
	return nil
}

// Share is the number of frames that one process has rendered.
type Share struct {
	Name   string // name of the worker; empty for this process
	Frames int
}

// Shares returns the number of frames that each process has rendered. The first entry is this process. saved is the
// number of frames that this process has rendered because a worker was late.
func (h *Host) Shares() (shares []Share, saved int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	shares = append([]Share{{Frames: h.here.frames}}, h.past...)
	for _, p := range h.peers {
		if p.frames > 0 {
			shares = append(shares, Share{p.name, p.frames})
		}
	}
	return shares, h.saved
}

// Ready returns the number of workers that have cameras or may get cameras.
func (h *Host) Ready() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.peers {
		if !p.gone && len(p.proven) > 0 {
			n++
		}
	}
	return n
}

var _ omnipitch.Farm = (*Host)(nil)
