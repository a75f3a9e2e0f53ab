package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/omnipitch/omnipitch/robotio/belief"
)

// believing returns beliefs of the first robot with known errors. Its pose is off by 0.3 m and 0.4 m, and by 10°. It
// always perceives the ball 2 m ahead and 1 m to the left. It perceives obstacles at the other robot's position and 0.5
// m from it.
func believing(s *served, asked *atomic.Int64) func() []belief.Robot {
	return func() []belief.Robot {
		asked.Add(1)
		now := s.truth.Load()
		if now == nil {
			return nil
		}
		me, other := now.Robots[0].PoseWB, now.Robots[1].PoseWB
		pose := belief.Place{X: me.Pos[0] + 0.3, Y: me.Pos[1] - 0.4, Heading: me.Heading() + 10*math.Pi/180,
			HasHeading: true}
		stamp := now.Time
		return []belief.Robot{{
			Name: s.sim.World().Robots[0].Name,
			Pose: &belief.Belief{Topic: "/pose", Stamp: stamp, Places: []belief.Place{pose}},
			Ball: &belief.Belief{Topic: "/ball", Stamp: stamp, Relative: true, Places: []belief.Place{{X: 2, Y: 1}}},
			Obstacles: &belief.Belief{Topic: "/obstacles", Stamp: stamp, LeftOut: 3, Places: []belief.Place{
				{X: other.Pos[0], Y: other.Pos[1], Number: 4}, {X: other.Pos[0], Y: other.Pos[1] + 0.5}}},
			Path: &belief.Belief{Topic: "/path", Stamp: stamp, Places: []belief.Place{pose, {X: 1, Y: 1}}},
		}, {Name: s.sim.World().Robots[1].Name, Ball: &belief.Belief{Topic: "/ball", Stamp: stamp - time.Hour}}}
	}
}

// TestBeliefsBesideTheTruth checks the beliefs of robots in the API against the truth. Errors are those at the time of
// the belief, the robots' own frames are transformed to the map, and unknown values are left out.
func TestBeliefsBesideTheTruth(t *testing.T) {
	var asked atomic.Int64
	s := serveWith(t, small(t), func(s *served, cfg *Config) { cfg.Beliefs = believing(s, &asked) })
	s.do(`{"drive": {"robot": "` + s.sim.World().Robots[0].Name + `", "vx_m_s": 1, "omega_deg_s": 90}}`)
	get := func() (j beliefsJSON) {
		status, _, body := s.send("GET", "/api/beliefs", "", nil)
		if err := json.Unmarshal(body, &j); err != nil || status != 200 {
			t.Fatalf("%d, %s, %v", status, body, err)
		}
		return j
	}
	var j beliefsJSON
	until(t, "the past to be known", func() bool {
		j = get()
		return len(j.Robots) == 2 && j.Robots[0].Pose.Error != nil && j.Time > 0.5
	})
	r := &j.Robots[0]
	is := func(what string, got *float64, want, tolerance float64) {
		t.Helper()
		if got == nil {
			t.Errorf("%s is not known", what)
		} else if off := math.Abs(*got - want); !(off <= tolerance) {
			t.Errorf("%s: %v, want %v", what, *got, want)
		}
	}
	const rounding = 2e-4
	is("error of the pose", r.Pose.Error, 0.5, rounding)
	is("error of the heading", r.Pose.ErrorAngle, 10, rounding)
	rad := r.Pose.At.Heading * math.Pi / 180
	is("ball's x", &r.Ball.At.X, r.Pose.At.X+2*math.Cos(rad)-math.Sin(rad), 5e-4)
	is("ball's y", &r.Ball.At.Y, r.Pose.At.Y+2*math.Sin(rad)+math.Cos(rad), 5e-4)
	is("error of the ball", r.Ball.Error, math.Hypot(r.Ball.At.X-r.Ball.Truth.X, r.Ball.At.Y-r.Ball.Truth.Y), rounding)
	if r.Ball.From == nil || *r.Ball.From != *r.Pose.At || r.Pose.From != nil {
		t.Errorf("the ball is put into the map from %+v, the pose from %+v", r.Ball.From, r.Pose.From)
	}
	is("error of the first obstacle", r.Obstacles.Places[0].Error, 0, rounding)
	is("error of the second", r.Obstacles.Places[1].Error, 0.5, rounding)
	if r.Obstacles.Places[0].Number != 4 || r.Obstacles.LeftOut != 3 || len(r.Path.Points) != 2 {
		t.Errorf("%+v, %+v", r.Obstacles, r.Path)
	}
	if other := &j.Robots[1]; other.Pose != nil || other.Ball.Known || other.Ball.At != nil || other.Ball.Error != nil {
		t.Errorf("a ball that is not known: %+v", other.Ball)
	}

	// While the run is paused, moving a body by hand changes the truth.
	s.do(`{"pause": {}}`)
	until(t, "the pause", s.sim.Clock().Paused)
	s.do(`{"place": {"name": "ball", "x_m": 4.5, "y_m": -3.25}}`)
	until(t, "the ball to be there", func() bool {
		at := get().Robots[0].Ball.Truth
		return at != nil && at.X == 4.5 && at.Y == -3.25
	})

	// Without viewers, the server does not query the robots' programs.
	before := asked.Load()
	time.Sleep(3 * beliefsFresh)
	if n := asked.Load() - before; n != 0 {
		t.Errorf("asked %d times while nobody looks", n)
	}
}

// TestPast checks the history of poses. It interpolates between stored moments, and it stores them only while somebody
// requests them.
func TestPast(t *testing.T) {
	s := serve(t, small(t))
	robot := s.sim.World().Robots[0].Name
	p := s.run.minds.past
	s.do(`{"drive": {"robot": "` + robot + `", "vx_m_s": 1, "omega_deg_s": 120}}`)
	until(t, "a second of the past", func() bool {
		p.want()
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.moments) > 150
	})
	s.do(`{"pause": {}}`)
	until(t, "the pause", s.sim.Clock().Paused)
	p.mu.Lock()
	a, b := p.moments[50], p.moments[51]
	first := p.moments[0].time
	p.mu.Unlock()
	w, ok := p.at((a.time + b.time) / 2)
	x, y := (a.robots[0].x+b.robots[0].x)/2, (a.robots[0].y+b.robots[0].y)/2
	if off := math.Hypot(w.robots[0].x-x, w.robots[0].y-y); !ok || !(off < 1e-9) {
		t.Errorf("half way: %v, off by %v", ok, off)
	}
	if w, ok := p.at(a.time); !ok || w.robots[0] != a.robots[0] || w.ball != a.ball {
		t.Errorf("at a moment: %+v, want %+v", w.robots[0], a.robots[0])
	}
	if _, ok := p.at(first - 1); ok {
		t.Error("what was before the first moment is known")
	}
	if w, ok := p.at(time.Hour); !ok || w.robots[0] != planarOf(s.truth.Load().Robots[0].PoseWB) {
		t.Errorf("in the future: %v, %+v", ok, w.robots)
	}
	s.do(`{"resume": {}}`)
	until(t, "the past to be kept no more", func() bool { return p.until.Load() == 0 })
	p.want() // the history has no states for the time between
	if _, ok := p.at(b.time); ok {
		t.Error("what was kept before is known")
	}
}

// TestTopicsOfRun checks the list of topics. One query serves all viewers, the list is filtered and bounded, an error
// is a sentence, and a run without transports says so.
func TestTopicsOfRun(t *testing.T) {
	var asked atomic.Int64
	var fails atomic.Bool
	s := serveWith(t, small(t), func(_ *served, cfg *Config) {
		cfg.Topics = func(context.Context) ([]Topic, error) {
			if asked.Add(1); fails.Load() {
				return nil, errors.New("the master does not answer")
			}
			all := []Topic{{Name: "/clock", Type: "rosgraph_msgs/Clock", Publishers: []string{"/omnipitch"},
				Listeners: []string{"/a", "/b"}, Measured: true, Rate: 199.5, Last: 1500 * time.Millisecond},
				{Robot: "cyan1", Name: "/odom", Type: "*", Listeners: []string{"/c"}}}
			for i := range mostTopics {
				all = append(all, Topic{Name: fmt.Sprintf("/many/%d", i), Type: "std_msgs/String"})
			}
			return all, nil
		}
	})
	get := func(query string) (j topicsJSON, status int, body string) {
		status, _, b := s.send("GET", "/api/topics"+query, "", nil)
		if err := json.Unmarshal(b, &j); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		return j, status, string(b)
	}
	j, _, _ := get("")
	if len(j.Topics) != mostTopics || j.LeftOut != 2 {
		t.Errorf("%d topics, %d left out", len(j.Topics), j.LeftOut)
	}
	j, _, body := get("?filter=CLOCK")
	if len(j.Topics) != 1 || j.Topics[0].Listeners != 2 || *j.Topics[0].Rate != 199.5 || j.Topics[0].Last != 1.5 ||
		j.Topics[0].Publishers[0] != "/omnipitch" {
		t.Errorf("%s", body)
	}
	if j, _, body := get("?filter=cyan1"); len(j.Topics) != 1 || j.Topics[0].Rate != nil ||
		j.Topics[0].Master != "cyan1" {
		t.Errorf("%s", body)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("masters are asked %d times for three clients", n)
	}
	if _, status, body := get("?filter=" + strings.Repeat("x", mostFilter+1)); status != 400 ||
		!strings.Contains(body, "at most 200") {
		t.Errorf("a long filter: %d, %s", status, body)
	}
	fails.Store(true)
	until(t, "the error", func() bool {
		_, status, body := get("")
		return status == 503 && strings.Contains(body, "the master does not answer")
	})

	bare := serve(t, small(t))
	for _, path := range []string{"/api/topics", "/api/beliefs"} {
		if status, _, body := bare.send("GET", path, "", nil); status != 200 || !strings.Contains(string(body),
			"--ros1 off") {
			t.Errorf("without wires %s: %d, %s", path, status, body)
		}
	}
}

// TestBeliefsInBrowser checks that the page shows beliefs next to the truth, with errors per robot and per kind. In the
// view around a robot, forward is up and left is left. The page also lists topics.
func TestBeliefsInBrowser(t *testing.T) {
	var asked atomic.Int64
	s := serveWith(t, small(t), func(s *served, cfg *Config) {
		cfg.Beliefs = believing(s, &asked)
		cfg.Topics = func(context.Context) ([]Topic, error) {
			return []Topic{{Name: "/clock", Type: "rosgraph_msgs/Clock", Publishers: []string{"/omnipitch"},
				Measured: true, Rate: 200, Last: time.Second},
				{Name: "/" + s.sim.World().Robots[0].Name + "/world_model/pose", Type: "geometry_msgs/PoseStamped",
					Publishers: []string{"/refbot"}, Listeners: []string{"/rviz"}}}, nil
		}
	})
	robot := s.sim.World().Robots[0].Name
	s.do(`{"place": {"name": "` + robot + `", "x_m": -3, "y_m": 1, "heading_deg": 30}}`)
	s.do(`{"place": {"name": "ball", "x_m": -1, "y_m": 0.5}}`)
	p := browse(t, s)
	if n := asked.Load(); n != 0 {
		t.Errorf("asked %d times before anybody looks", n)
	}
	p.run(chromedp.Click(chromedp.CSS("#beliefs-tab")))
	p.holds(`document.querySelector('[data-belief="` + robot + `.pose"]').textContent === '50\u00a0cm 10.0°'`)
	p.run(chromedp.Click(chromedp.CSS(`input[data-robot="` + robot + `"]`)))
	p.holds(`!!document.querySelector('svg [data-belief="` + robot + `.pose"]')`)

	// The ghost is at the believed position, 0.3 m to the right of the robot and 0.4 m below it.
	scale := eval[float64](p, `document.querySelector('#field svg g').getScreenCTM().a`)
	p.holds(fmt.Sprintf(`(() => {
		const at = e => { const m = e.getScreenCTM(); return [m.e, m.f] }
		const [x, y] = at(document.querySelector('[data-name="%[1]s"]')), [gx, gy] = at(document.querySelector('svg [data-belief="%[1]s.pose"]'))
		return Math.abs((gx - x) / %[2]f - 0.3) < 0.03 && Math.abs((gy - y) / %[2]f - 0.4) < 0.03
	})()`, robot, scale))
	p.look("beliefs-light", 1366, 900, "light")
	p.look("beliefs-dark", 1366, 900, "dark")
	p.look("beliefs-tablet", 820, 1180, "light")
	p.run(chromedp.Click(chromedp.CSS(`input[data-kind="pose"]`)))
	p.holds(`!document.querySelector('svg [data-belief="` + robot +
		`.pose"]') && !!document.querySelector('svg [data-belief="` + robot + `.ball"]')`)

	// Around the robot, the believed ball is 2 m ahead and 1 m to the left, so above and to the left of it. The true
	// ball is at its true position.
	p.holds(`!document.querySelector('#view').parentElement.hidden`)
	eval[bool](p,
		`(() => { const s = document.querySelector('#view'); s.value = 'from.`+robot+`'; s.dispatchEvent(new Event('change')); return true })()`)
	p.holds(`(() => {
		const svg = document.querySelector('#relative svg'), ball = svg?.querySelector('[data-around=ball]'), so = svg?.querySelector('[data-around=true-ball]')
		if (!ball || !so) return false
		const m = svg.querySelector('g').getScreenCTM(), at = e => { const b = e.getScreenCTM(); return [(b.e - m.e) / m.a, (b.f - m.f) / m.a] }
		const [x, y] = at(ball), [tx, ty] = at(so)
		const rad = Math.PI / 6, ahead = 2 * Math.cos(rad) - 0.5 * Math.sin(rad), left = -2 * Math.sin(rad) - 0.5 * Math.cos(rad)
		return Math.abs(x + 1) < 0.02 && Math.abs(y + 2) < 0.02 && Math.abs(tx + left) < 0.05 && Math.abs(ty + ahead) < 0.05
	})()`)
	p.holds(`document.querySelector('#relative svg').getAttribute('aria-label').includes('ball 2.00 m ahead, 1.00 m to the left') && document.querySelector('#field').hidden`)
	p.holds(`document.querySelectorAll('#relative .detection').length > 0`)
	p.look("relative-light", 1366, 900, "light")
	p.look("relative-tablet", 820, 1180, "dark")

	p.run(chromedp.Click(chromedp.CSS("#topics-tab")))
	p.holds(`document.querySelectorAll('table.topics tbody tr').length === 2 && document.querySelector('[data-topic="/clock"]').textContent.includes('200 Hz')`)
	p.look("topics-light", 1366, 900, "light")
	p.run(chromedp.SendKeys(chromedp.CSS("#topics input"), "pose"))
	p.holds(`document.querySelectorAll('table.topics tbody tr').length === 1`)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.bad {
		t.Error(text)
	}
}
