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

// DefaultLease is short enough for robots to go on without their images meanwhile, and longer than a busy machine lets
// a worker wait.
const DefaultLease = 500 * time.Millisecond

// Config is what a Host is made of.
type Config struct {
	Conn     *nats.Conn // the Host closes it
	Version  string     // of this program
	Renderer string     // as omnipitch.Options has it
	Samples  int        // of backend.Reference
	Lease    time.Duration
	Here     bool // this process draws too while there are workers
	// of workers that come and go; from any goroutine, which must not call the Host; may be nil
	Notify func(text string)
}

// Host is a run that has images drawn by workers. It is an omnipitch.Farm.
type Host struct {
	cfg   Config
	stop  chan struct{}
	watch sync.WaitGroup
	hello *nats.Subscription

	mu      sync.Mutex
	sim     *omnipitch.Sim
	world   *worlds.World
	entry   Entry
	bundle  []byte // nil: workers cannot have the world
	at      subjects
	joining []*nats.Subscription
	peers   []*peer
	past    []Share     // of peers that have left
	cameras []camera    // by their numbers
	here    drawer      // this process
	owed    [][]*ticket // that workers have owed, of an order each, and this process has to draw
	saved   int         // frames that workers owed, and this process has drawn
	orders  uint64
	evened  time.Time // when cameras were dealt last
	buffer  []byte
}

// drawer is who draws: this process, or a worker.
type drawer struct {
	meter  meter
	frames int // drawn
}

// camera is a sensor with images.
type camera struct {
	owner  *peer  // nil: this process
	tag    uint64 // of its newest frame
	pixels int    // since rates were measured
	rate   float64
}

// New has workers asked in.
func New(cfg Config) (*Host, error) {
	if cfg.Notify == nil {
		cfg.Notify = func(string) {}
	}
	h := &Host{cfg: cfg, stop: make(chan struct{})}
	var err error
	if h.hello, err = cfg.Conn.Subscribe(hello, h.answerHello); err != nil {
		return nil, fmt.Errorf("NATS: %w", err)
	}
	h.watch.Go(h.look)
	return h, nil
}

// Begin has workers draw a world from now on: see [omnipitch.Farm].
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
		h.cfg.Notify(fmt.Sprintf("workers cannot have the world: %v", err))
		return
	}
	h.bundle = data
	h.entry = Entry{
		ID: rand.Text(), Name: world.Name, Version: h.cfg.Version, Renderer: backend.Choose(h.cfg.Renderer,
			sim.Sensors().Scenery().Scene).Name,
		Samples: h.cfg.Samples, Lease: h.cfg.Lease, World: len(data), Sum: sum,
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

// end tells workers that there is nothing more to draw. mu is held, and nothing is under way but samples.
func (h *Host) end(why string) {
	if h.bundle != nil {
		_ = h.cfg.Conn.Publish(h.at.host(), []byte(why)) // else they see that nobody is there
	}
	for _, sub := range h.joining {
		_ = sub.Unsubscribe() // the subject is nobody's any more
	}
	for _, p := range slices.Clone(h.peers) {
		h.forget(p)
	}
	h.joining = nil
}

// Close ends the farm. The Sim must have been closed.
func (h *Host) Close() {
	close(h.stop)
	h.watch.Wait()
	h.mu.Lock()
	h.end("the run is over")
	h.mu.Unlock()
	_ = h.hello.Unsubscribe()
	_ = h.cfg.Conn.FlushTimeout(time.Second) // who does not hear it sees that nobody is there
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
		_ = m.Respond(data) // who asked asks again
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

// answerJoin lets a worker in, or says why not.
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

// draws says what the run itself draws with. mu is held.
func (h *Host) draws() string { return backend.Machine(h.entry.Renderer) }

func otherVersion(run, worker string) string {
	return fmt.Sprintf("the run is of %q, the worker of %q", run, worker)
}

// admit adds a worker, which may have come before. mu is held.
func (h *Host) admit(r *Request) error {
	now := time.Now()
	if i := slices.IndexFunc(h.peers, func(p *peer) bool { return p.id == r.ID }); i >= 0 {
		h.peers[i].heard = now
		return nil
	}
	if len(h.peers) == mostWorkers {
		return fmt.Errorf("the run has %d workers, as many as it takes", mostWorkers)
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

// Share is what somebody has drawn.
type Share struct {
	Name   string // of the worker; empty: the run itself
	Frames int
}

// Shares returns who has drawn how many frames, the run itself first, and how many of its own workers had owed.
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

// Ready returns how many workers have cameras, or may have them.
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
