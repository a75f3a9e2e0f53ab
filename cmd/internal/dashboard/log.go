package dashboard

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
	"github.com/omnipitch/omnipitch/worlds/schema/encode"
)

// kind is the subject of a log entry.
type kind string

const (
	aboutGoal     kind = "goal"        // a score has changed
	aboutDecision kind = "decision"    // the automatic referee has decided
	aboutGame     kind = "game"        // phase, half or set piece has changed
	aboutEvent    kind = "event"       // an event of the world has happened, or a robot has spoken
	aboutExpect   kind = "expectation" // an expectation has been decided
	aboutLevel    kind = "level"       // the level of a sensor has changed
	aboutFault    kind = "fault"       // a fault of a sensor has begun or ended
	aboutAction   kind = "action"      // an action of a client has been executed
	aboutWorld    kind = "world"       // the world has restarted, or its files could not be read
)

var kinds = []kind{aboutGoal, aboutDecision, aboutGame, aboutEvent, aboutExpect, aboutLevel, aboutFault, aboutAction,
	aboutWorld}

// Limits of the log. The values are guesses: all entries of a match fit. Each kind has its own limit, so that an event
// in every step does not displace entries of other kinds.
const (
	mostEntries = 250     // number of entries kept of each kind
	mostText    = 4 << 10 // bytes of an entry's text
)

// entryJSON is a log entry.
type entryJSON struct {
	Number  uint64  `json:"n"` // index among the entries of all kinds, from 1
	Kind    kind    `json:"kind"`
	Episode int     `json:"episode"` // number of earlier restarts of the world
	Time    float64 `json:"time_s"`
	At      float64 `json:"at_s"` // time as at_s in states: in a replay, since the start of the recorded run
	Step    int64   `json:"step"`
	Text    string  `json:"text"`
	Failed  bool    `json:"failed,omitempty"` // an expectation, or the reading of a file, has failed
}

// journal keeps log entries. The goroutine that steps calls the methods that are hooks of the simulation.
type journal struct {
	sim    *omnipitch.Sim
	now    func() time.Duration // see simServer
	newest atomic.Uint64        // index of the newest entry
	began  time.Time            // wall time
	game   game.State           // last known state; this and the following fields belong to the goroutine that steps
	step   int64
	levels map[[2]string]abstraction.Level
	events map[*worlds.Event]string // texts of events, once they have happened

	mu      sync.Mutex
	episode int
	rings   map[kind]*ring
}

// ring keeps the newest entries of a kind. A new entry replaces the oldest.
type ring struct {
	list []entryJSON
	next int
}

// newJournal must be called before the first step. Its second argument is a function that returns the time of the shown
// state: see simServer.now.
func newJournal(sim *omnipitch.Sim, now func() time.Duration) *journal {
	j := &journal{sim: sim, now: now, began: time.Now(), game: sim.Match().Game(),
		levels: map[[2]string]abstraction.Level{},
		events: map[*worlds.Event]string{}, rings: map[kind]*ring{}}
	for _, k := range kinds {
		j.rings[k] = &ring{}
	}
	sim.Match().OnEvent(j.happened)
	sim.Match().OnVerdict(j.decided)
	sim.Match().OnSpeech(func(s action.Speak) { j.add(aboutEvent, s.String(), false) })
	sim.Match().OnDecision(func(d *referee.Decision) {
		_, text, _ := strings.Cut(d.String(), ": ") // without its time
		j.add(aboutDecision, text, false)
	})
	sim.Sensors().OnLevel(j.switched)
	sim.Sensors().OnFault(func(robot, sensor string, fault sensors.Fault) {
		if fault == "" {
			j.add(aboutFault, fmt.Sprintf("%s.%s is repaired", robot, sensor), false)
			return
		}
		j.add(aboutFault, fmt.Sprintf("%s.%s is broken: %s", robot, sensor, fault), false)
	})
	sim.OnStep(j.stepped)
	return j
}

// add adds an entry with the time of the present state. Only the goroutine that steps may call it.
func (j *journal) add(about kind, text string, failed bool) {
	now := j.sim.Truth()
	j.begun(now)
	j.put(about, text, failed, now.Time, now.Step)
}

// put adds an entry. Any goroutine may call it.
func (j *journal) put(about kind, text string, failed bool, now time.Duration, step int64) {
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText], "") + " …"
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	e := entryJSON{j.newest.Load() + 1, about, j.episode, now.Seconds(), j.now().Seconds(), step, text, failed}
	if r := j.rings[about]; len(r.list) < mostEntries {
		r.list = append(r.list, e)
	} else {
		r.list[r.next] = e
		r.next = (r.next + 1) % mostEntries
	}
	j.newest.Store(e.Number)
}

// begun records that a world has restarted, or that a replay has gone back.
func (j *journal) begun(now *physics.Snapshot) {
	again := now.Step < j.step
	j.step = now.Step
	if !again {
		return
	}
	j.mu.Lock()
	j.episode++
	j.mu.Unlock()
	j.game = j.sim.Match().Game()
	clear(j.events) // the world may be a different one
	text := j.sim.World().Name + " restarts"
	if now.Step > 0 {
		text = fmt.Sprintf("%s continues from %.3f s", j.sim.World().Name, now.Time.Seconds())
	}
	j.put(aboutWorld, text, false, now.Time, now.Step)
}

// stepped compares a new state with the last one.
func (j *journal) stepped(now *physics.Snapshot) {
	j.begun(now)
	is := j.sim.Match().Game()
	was := j.game
	if j.game = is; is == was {
		return
	}
	for _, team := range []physics.Team{physics.Cyan, physics.Magenta} {
		switch more := is.Score.Of(team) - was.Score.Of(team); {
		case more > 0:
			j.add(aboutGoal, fmt.Sprintf("goal of %s: %d : %d", team, is.Score.Cyan, is.Score.Magenta), false)
		case more < 0:
			j.add(aboutGoal, fmt.Sprintf("%s loses a goal: %d : %d", team, is.Score.Cyan, is.Score.Magenta), false)
		}
	}
	if is.Score = was.Score; is != was {
		j.add(aboutGame, gameText(is), false)
	}
}

// gameText describes a game's state.
func gameText(s game.State) string {
	parts := []string{string(s.Phase)}
	if s.SetPiece != "" {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %s", s.SetPiece, s.Team)))
	}
	return strings.ReplaceAll(strings.Join(append(parts, string(s.Half)), ", "), "_", " ")
}

// happened records an event of the world. Its text is made once, since it may happen in every step.
func (j *journal) happened(e *worlds.Event) {
	j.begun(j.sim.Truth())
	text, ok := j.events[e]
	if !ok {
		text = e.Name
		if key, a, err := e.Action(); err == nil && a != nil {
			if text != "" {
				text += ": "
			}
			text += actionText(key, a)
		}
		j.events[e] = text
	}
	j.add(aboutEvent, text, false)
}

// decided records the verdict on an expectation. A verdict that a restart of the world causes belongs to the world
// before the restart.
func (j *journal) decided(v expectation.Verdict) {
	text := fmt.Sprintf("%s %s: expected %s", v.Name, v.Outcome, v.Expected)
	if v.Was != "" {
		text += "; was: " + v.Was
	}
	j.add(aboutExpect, text, v.Outcome != expectation.Passed)
}

// switched records that a sensor has delivered its first frame at another level.
func (j *journal) switched(c omnipitch.LevelChange) {
	name := [2]string{c.Robot, c.Sensor}
	was := j.levels[name]
	j.levels[name] = c.Level
	if was != "" && was != c.Level {
		j.add(aboutLevel, fmt.Sprintf("%s.%s from %s to %s", c.Robot, c.Sensor, was, c.Level), false)
	}
}

// did records an action of a client. Any goroutine may call it.
func (j *journal) did(key string, a action.Action) {
	now := j.sim.Clock().Time()
	j.put(aboutAction, actionText(key, a), false, now, int64(now/j.sim.Clock().Step()))
}

// Reloaded records that the world's files have changed. If err is nil the world restarts. Otherwise the world continues
// unchanged, and err is the reason. Any goroutine may call it.
func (s *Server) Reloaded(err error) {
	if s == nil || err == nil {
		return
	}
	j := s.run.log
	now := j.sim.Clock().Time()
	j.put(aboutWorld, fmt.Sprintf("%s: not read again, continues unchanged: %v", j.sim.World().Name, err), true, now,
		int64(now/j.sim.Clock().Step()))
}

// actionText returns an action as one line of text, without keys that have no value and without the content of tables.
func actionText(key string, a action.Action) string {
	var fields []string
	within := false // inside a table
	for _, l := range encode.Lines(a) {
		table := strings.Trim(l.Text, "[]")
		switch {
		case l.Text == "" || within && l.Key || l.Key && l.Value.Kind() != reflect.Bool && l.Value.IsZero():
		case l.Key:
			fields = append(fields, l.Text)
		default:
			within = true
			if text := table + " = …"; !strings.Contains(table, ".") && !slices.Contains(fields, text) {
				fields = append(fields, text)
			}
		}
	}
	if len(fields) == 0 {
		return key
	}
	return key + ": " + strings.Join(fields, ", ")
}

// logJSON is a list of entries, in order.
type logJSON struct {
	Entries []entryJSON `json:"entries"`
	Newest  uint64      `json:"newest"` // index of the newest entry of all kinds
	// wall time at which the log began, ms since 1970: another value means another log
	Began int64 `json:"began"`
	// number of entries, of all kinds, that are newer than the client's last one but no longer kept
	Lost uint64 `json:"lost"`
}

// after returns the entries of the given kinds whose index is greater than n.
func (j *journal) after(n uint64, of []kind) *logJSON {
	out := &logJSON{Entries: []entryJSON{}, Began: j.began.UnixMilli()}
	j.mu.Lock()
	defer j.mu.Unlock()
	out.Newest = j.newest.Load()
	if out.Newest <= n {
		return out
	}
	out.Lost = out.Newest - n
	for _, k := range kinds {
		for _, e := range j.rings[k].list {
			if e.Number > n {
				out.Lost--
				if slices.Contains(of, k) {
					out.Entries = append(out.Entries, e)
				}
			}
		}
	}
	slices.SortFunc(out.Entries, func(a, b entryJSON) int { return cmp.Compare(a.Number, b.Number) })
	return out
}

func (s *simServer) entries(r *http.Request) (any, error) {
	after, err := numberOf(r, "after", 0, 1<<62)
	of := kinds
	if asked := r.URL.Query()["kind"]; len(asked) > 0 {
		of = nil
		for _, name := range asked {
			if !slices.Contains(kinds, kind(name)) {
				return nil, fmt.Errorf("kind = %.40q: must be one of %v", name, kinds)
			}
			of = append(of, kind(name))
		}
	}
	return s.log.after(uint64(after), of), err
}
