package dashboard

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/radio"
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
			Things: belief.Things{
				Ball: &belief.Belief{Topic: "/ball", Stamp: stamp, Relative: true,
					Places: []belief.Place{{X: 2, Y: 1}}},
				Obstacles: &belief.Belief{Topic: "/obstacles", Stamp: stamp, LeftOut: 3, Places: []belief.Place{
					{X: other.Pos[0], Y: other.Pos[1], Number: 4}, {X: other.Pos[0], Y: other.Pos[1] + 0.5}}},
			},
			Path: &belief.Belief{Topic: "/path", Stamp: stamp, Places: []belief.Place{pose, {X: 1, Y: 1}}},
			// It believes to drive straight ahead at 1 m/s.
			Velocity: &belief.Belief{Topic: "/status", Stamp: stamp, Relative: true, Places: []belief.Place{{X: 1}}},
			Status: &belief.Status{Topic: "/status", Stamp: stamp, Role: "ACTIVE", Action: "TurnForShoot",
				Dribbling: new(true)},
		}, {Name: s.sim.World().Robots[1].Name, Things: belief.Things{Ball: &belief.Belief{
			Topic: "/ball", Stamp: stamp - time.Hour}}}}
	}
}

// TestBeliefsBesideTheTruth checks the beliefs of robots in the API against the truth. Errors are those at the time of
// the belief, the robots' own frames are transformed to the map, and unknown values are left out.
func TestBeliefsBesideTheTruth(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	s := serve(t, small(t), func(s *served, cfg *Config) { cfg.Beliefs = believing(s, &asked) })
	s.do(`{"drive": {"robot": "` + s.sim.World().Robots[0].Name + `", "vx_m_s": 1, "omega_deg_s": 90}}`)
	var j beliefsJSON
	until(t, "the past to be known, and the robot to be at its speed", func() bool {
		j = get[beliefsJSON](s, "/api/beliefs")
		if len(j.Robots) < 2 || j.Robots[0].Pose.Error == nil || j.Robots[0].Velocity.Truth == nil {
			return false
		}
		v := j.Robots[0].Velocity.Truth
		return j.Time > 0.5 && math.Abs(math.Hypot(v[0], v[1])-1) < 0.05
	})
	r := &j.Robots[0]
	heading := r.Pose.At.Heading * math.Pi / 180
	const rounding = 2e-4
	for _, c := range []struct {
		what      string
		got       *float64
		want, tol float64
	}{
		{"error of the pose", r.Pose.Error, 0.5, rounding},
		{"error of the heading", r.Pose.ErrorAngle, 10, rounding},
		{"ball's x", &r.Ball.At.X, r.Pose.At.X + 2*math.Cos(heading) - math.Sin(heading), 5e-4},
		{"ball's y", &r.Ball.At.Y, r.Pose.At.Y + 2*math.Sin(heading) + math.Cos(heading), 5e-4},
		{"error of the ball", r.Ball.Error, math.Hypot(r.Ball.At.X-r.Ball.Truth.X, r.Ball.At.Y-r.Ball.Truth.Y),
			rounding},
		{"velocity's x", &r.Velocity.At[0], math.Cos(heading), rounding},
		{"velocity's y", &r.Velocity.At[1], math.Sin(heading), rounding},
		{"error of the first obstacle", r.Obstacles.Places[0].Error, 0, rounding},
		{"error of the second obstacle", r.Obstacles.Places[1].Error, 0.5, rounding},
	} {
		if c.got == nil || !(math.Abs(*c.got-c.want) <= c.tol) {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
	if r.Ball.From == nil || *r.Ball.From != *r.Pose.At || r.Pose.From != nil {
		t.Errorf("got frames %+v of the ball and %+v of the pose, want %+v and none", r.Ball.From, r.Pose.From,
			r.Pose.At)
	}
	if u := r.Status; u == nil || u.Role != "ACTIVE" || u.Action != "TurnForShoot" || u.Dribbling == nil ||
		!*u.Dribbling || u.Holds == nil || *u.Holds {
		t.Errorf("got status %+v, want ACTIVE, TurnForShoot, dribbling by itself and not in truth", u)
	}
	if r.Obstacles.Places[0].Number != 4 || r.Obstacles.LeftOut != 3 || len(r.Path.Points) != 2 {
		t.Errorf("got %+v, %+v, want number 4, 3 left out, 2 points", r.Obstacles, r.Path)
	}
	if other := &j.Robots[1]; other.Pose != nil || other.Ball.Known || other.Ball.At != nil || other.Ball.Error != nil {
		t.Errorf("got %+v, want an unknown ball", other.Ball)
	}

	// While the run is paused, moving a body by hand changes the truth.
	s.do(`{"pause": {}}`)
	until(t, "the pause", s.sim.Clock().Paused)
	s.do(`{"place": {"name": "ball", "x_m": 4.5, "y_m": -3.25}}`)
	until(t, "the ball to be there", func() bool {
		at := get[beliefsJSON](s, "/api/beliefs").Robots[0].Ball.Truth
		return at != nil && at.X == 4.5 && at.Y == -3.25
	})

	before := asked.Load()
	time.Sleep(3 * beliefsFresh)
	if n := asked.Load() - before; n != 0 {
		t.Errorf("without viewers, the robots' programs were asked %d times", n)
	}
}

// TestPast checks the history of poses. It interpolates between stored moments, and it stores them only while somebody
// requests them.
func TestPast(t *testing.T) {
	t.Parallel()
	s := serve(t, small(t))
	p := s.run.minds.past
	s.do(`{"drive": {"robot": "` + s.sim.World().Robots[0].Name + `", "vx_m_s": 1, "omega_deg_s": 120}}`)
	until(t, "half a second of the past", func() bool {
		p.want()
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.moments) > 80
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
		t.Errorf("half way between two moments: got %v, off by %v m", ok, off)
	}
	if w, ok := p.at(a.time); !ok || w.robots[0] != a.robots[0] || w.ball != a.ball {
		t.Errorf("at a moment: got %+v, want %+v", w.robots[0], a.robots[0])
	}
	if _, ok := p.at(first - 1); ok {
		t.Error("a time before the first moment is known")
	}
	if w, ok := p.at(time.Hour); !ok || w.robots[0] != planarOf(s.truth.Load().Robots[0].PoseWB) {
		t.Errorf("in the future: got %v, %+v, want the newest", ok, w.robots)
	}
	s.do(`{"resume": {}}`)
	until(t, "no more moments to be kept", func() bool { return !p.wanted.Load() })
	p.want() // the history has no states for the time between
	if _, ok := p.at(b.time); ok {
		t.Error("a time before the gap is known")
	}
}

// TestTopicsOfRun checks the list of topics. One query serves all viewers, the list is filtered and bounded, an error
// is a sentence, and a run without wires says so.
func TestTopicsOfRun(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	var fails atomic.Bool
	s := serve(t, small(t), func(_ *served, cfg *Config) {
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
	if j := get[topicsJSON](s, "/api/topics"); len(j.Topics) != mostTopics || j.LeftOut != 2 {
		t.Errorf("got %d topics, %d left out, want %d and 2", len(j.Topics), j.LeftOut, mostTopics)
	}
	for filter, want := range map[string]topicJSON{
		"CLOCK": {Name: "/clock", Type: "rosgraph_msgs/Clock", Publishers: []string{"/omnipitch"}, Listeners: 2,
			Rate: new(199.5), Last: 1.5},
		"cyan1": {Master: "cyan1", Name: "/odom", Type: "*", Publishers: []string{}, Listeners: 1},
	} {
		if diff := cmp.Diff([]topicJSON{want}, get[topicsJSON](s, "/api/topics?filter="+filter).Topics); diff != "" {
			t.Errorf("filter %s (-want +got)\n%s", filter, diff)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("for three clients, masters are asked %d times, want 1", n)
	}
	s.refuses("/api/topics?filter="+strings.Repeat("x", mostFilter+1), "", 400, "at most 200")
	fails.Store(true)
	until(t, "the error", func() bool {
		status, _, body := s.send("GET", "/api/topics", "", nil)
		return status == 503 && strings.Contains(string(body), "the master does not answer")
	})

	for _, path := range []string{"/api/topics", "/api/beliefs"} {
		if about := get[struct{ About string }](serve(t, small(t)), path).About; !strings.Contains(about,
			"--ros1 off") {
			t.Errorf("%s without wires: got %q, want --ros1 off", path, about)
		}
	}
}

// TestBeliefsInBrowser checks that the page shows beliefs next to the truth, with errors per robot and per kind. In the
// view around a robot, forward is up and left is left. The page also lists topics.
func TestBeliefsInBrowser(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	w := small(t)
	w.Robots[1].Team, w.Robots[1].Number = w.Robots[0].Team, w.Robots[0].Number+1
	for i := range w.Robots {
		w.Robots[i].Radio = &radio.Config{Delay: 40 * time.Millisecond, Queue: time.Second}
	}
	s := serve(t, w, func(s *served, cfg *Config) {
		cfg.Beliefs = believing(s, &asked)
		cfg.Topics = func(context.Context) ([]Topic, error) {
			return []Topic{{Name: "/clock", Type: "rosgraph_msgs/Clock", Publishers: []string{"/omnipitch"},
				Measured: true, Rate: 200, Last: time.Second},
				{Name: "/cyan1/world_model/pose", Type: "geometry_msgs/PoseStamped", Publishers: []string{"/refbot"},
					Listeners: []string{"/rviz"}}}, nil
		}
	})
	robot := s.sim.World().Robots[0].Name
	s.do(`{"place": {"name": "` + robot + `", "x_m": -3, "y_m": 1, "heading_deg": 30}}`)
	s.do(`{"place": {"name": "ball", "x_m": -1, "y_m": 0.5}}`)
	p := browse(t, s)
	if n := asked.Load(); n != 0 {
		t.Errorf("programs are asked %d times before a page shows beliefs", n)
	}
	p.click("#beliefs-tab")
	p.reads(`[data-belief="`+robot+`.pose"]`, "50\u00a0cm 10.0°")
	p.click(`input[data-robot="` + robot + `"]`)
	p.shows(`svg [data-belief="` + robot + `.pose"]`)

	// What the robot says stands above the truth. It stands still without the ball, and believes otherwise.
	said := func(what, said, truth string) {
		t.Helper()
		p.reads(fmt.Sprintf(`[data-said="%s.%s"] div`, robot, what), said)
		p.reads(fmt.Sprintf(`[data-said="%s.%s"] div + div`, robot, what), truth)
	}
	sin, cos := math.Sincos(40 * math.Pi / 180)
	said("position", "-2.70, 0.60", "50\u00a0cm off")
	said("velocity", fmt.Sprintf("%.2f, %.2f", cos, sin), "0.00, 0.00")
	said("role", "ACTIVE", "TurnForShoot")
	said("target", "1.00, 1.00", "4.0\u00a0m away")
	said("dribbling", "yes", "no")
	p.shows(`svg [data-belief="` + robot + `.target"]`)

	// The ghost is at the believed position, 0.3 m to the right of the robot and 0.4 m below it.
	p.holds(`(() => {
		const at = e => { const m = e.getScreenCTM(); return [m.e, m.f] }
		const [x, y] = at(document.querySelector('[data-name="%[1]s"]')), [gx, gy] = at(document.querySelector('svg [data-belief="%[1]s.pose"]'))
		return Math.abs((gx - x) / %[2]f - 0.3) < 0.03 && Math.abs((gy - y) / %[2]f - 0.4) < 0.03
	})()`, robot, p.scale())

	// The second robot's radio hears the first one's messages; one is lost while it is off.
	send := func(text string) { must.Do(t, s.sim.Match().Send(robot, "", []byte(text))) }
	send("a")
	second := s.sim.World().Robots[1].Name
	cell := func(robot string, n int, text string) {
		t.Helper()
		p.reads(fmt.Sprintf(`[data-radio="%s"] td:nth-of-type(%d)`, robot, n), text)
	}
	cell(second, 3, "1")
	cell(second, 6, "40\u00a0ms")
	s.do(`{"cut_radio": {"robot": "` + second + `"}}`)
	send("b")
	cell(second, 4, "1")
	cell(second, 1, "0, off")
	cell(robot, 1, "2")
	p.screenshots("beliefs")
	p.click(`input[data-kind="pose"]`)
	p.holds(`!document.querySelector('svg [data-belief="%[1]s.pose"]') && !!document.querySelector('svg [data-belief="%[1]s.ball"]')`,
		robot)

	// Around the robot, the believed ball is 2 m ahead and 1 m to the left, so above and to the left of it. The true
	// ball is at its true position.
	p.holds(`!document.querySelector('#view').parentElement.hidden`)
	p.choose("#view", "from."+robot)
	p.holds(`(() => {
		const svg = document.querySelector('#relative svg'), ball = svg?.querySelector('[data-around=ball]'), so = svg?.querySelector('[data-around=true-ball]')
		if (!ball || !so) return false
		const m = svg.querySelector('g').getScreenCTM(), at = e => { const b = e.getScreenCTM(); return [(b.e - m.e) / m.a, (b.f - m.f) / m.a] }
		const [x, y] = at(ball), [tx, ty] = at(so)
		const rad = Math.PI / 6, ahead = 2 * Math.cos(rad) - 0.5 * Math.sin(rad), left = -2 * Math.sin(rad) - 0.5 * Math.cos(rad)
		return Math.abs(x + 1) < 0.02 && Math.abs(y + 2) < 0.02 && Math.abs(tx + left) < 0.05 && Math.abs(ty + ahead) < 0.05
	})()`)
	p.holds(`document.querySelector('#relative svg').getAttribute('aria-label').includes('ball 2.00 m ahead, 1.00 m to the left') && document.querySelector('#field').hidden`)
	p.shows("#relative .detection")
	p.screenshots("relative")

	const rows = `document.querySelectorAll('table.topics tbody tr').length === `
	p.click("#topics-tab")
	p.holds(rows + `2 && document.querySelector('[data-topic="/clock"]').textContent.includes('200 Hz')`)
	p.screenshots("topics")
	p.run(chromedp.SendKeys(chromedp.CSS("#topics input"), "pose"))
	p.holds(rows + "1")
	p.clean()
}
