package robotio

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

type sendingOff struct {
	TeamName        string
	TeamInfo        bool
	PlayerNum       int16
	IDMaxvelIsvalid int16
}

// actionsOf returns the actions that a message to a robot causes in simatch, on each topic whose name ends in suffix.
func actionsOf[T any](t *testing.T, w *worlds.World, robot int, suffix string, m *T) (all [][]action.Action) {
	t.Helper()
	p := compiled(t, "simatch")
	for _, i := range mapping.Instances(p.Subscriptions, p.NewContext(w, robot)) {
		if strings.HasSuffix(i.Name, suffix) {
			codec := must.Get(msg.Compile[T](i.Topic))(t)
			all = append(all, must.Get(i.Actions.Read(&i.Context, codec.Append(nil, m)))(t))
		}
	}
	return all
}

// sendOff returns the action that simatch's message for a robot becomes, on the topic of either team.
func sendOff(t *testing.T, w *worlds.World, robot int, number, back int16) action.Action {
	t.Helper()
	all := actionsOf(t, w, robot, "/redcard/chatter", &sendingOff{TeamInfo: w.Robots[robot].Team == physics.Magenta,
		PlayerNum: number, IDMaxvelIsvalid: back})
	if len(all) != 2 || len(all[0]) != 1 || !reflect.DeepEqual(all[0], all[1]) {
		t.Fatalf("robot %d is sent off by %v, want the same by the topics of both teams", robot, all)
	}
	return all[0][0]
}

// On every shipped field, all robots of both teams can be sent off at once, and can wait at once to come back. No robot
// overlaps another, a board or a goal, and none moves by itself. The same holds for the positions of simatch, for its
// numbers 2 to 5.
func TestPlacesBesideTheFieldAreFree(t *testing.T) {
	var fields []string
	for _, f := range worlds.Shipped() {
		if f.Kind == "field" {
			fields = append(fields, f.Name)
		}
	}
	if len(fields) < 5 {
		t.Fatalf("%d fields ship", len(fields))
	}
	const number2, number5 = 2, 5
	for _, field := range fields {
		for _, c := range []struct {
			name string
			back func(i int) bool
			own  bool // sent off by an action; else by simatch's message
		}{
			{"off", func(int) bool { return false }, true},
			{"waiting", func(int) bool { return true }, true},
			{"some waiting", func(i int) bool { return i%2 == 0 }, true},
			{"off by simatch", func(int) bool { return false }, false},
			{"waiting by simatch", func(int) bool { return true }, false},
		} {
			t.Run(field+"/"+c.name, func(t *testing.T) {
				w := tenOn(t, field)
				sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
				defer sim.Close()
				var sent []int
				for i := range w.Robots {
					number, back := w.Robots[i].Number, 0
					if c.back(i) {
						back = 10 + number
					}
					var a action.Action = &action.SendOff{Robot: w.Robots[i].Name, Number: -1, Back: back}
					if !c.own {
						a = sendOff(t, w, i, int16(number), int16(back))
						if number < number2 || number > number5 {
							continue
						}
					}
					must.Do(t, sim.Do(a))
					sent = append(sent, i)
				}
				placed := slices.Clone(sim.Truth().Robots)
				boxes := w.Field.StaticBoxes()
				for k, i := range sent {
					at, r := placed[i].PoseWB.Pos, w.Robots[i].Body.Radius
					if !(math.Abs(at[1]) >= w.Field.Width/2+r) && c.own {
						t.Errorf("%s stands on the field, at %.2f", w.Robots[i].Name, at)
					}
					for _, b := range boxes {
						dx, dy := max(b.Min[0]-at[0], 0, at[0]-b.Max[0]), max(b.Min[1]-at[1], 0, at[1]-b.Max[1])
						if d := math.Hypot(dx, dy); !(d >= r+0.05) {
							t.Errorf("%s at %.2f is %.2f m from a board or goal of %.2f to %.2f", w.Robots[i].Name, at,
								d, b.Min, b.Max)
						}
					}
					for _, j := range sent[:k] {
						if d := placed[j].PoseWB.Pos.Sub(at).Len(); !(d >= r+w.Robots[j].Body.Radius+0.1) {
							t.Errorf("%s and %s are %.2f m apart", w.Robots[i].Name, w.Robots[j].Name, d)
						}
					}
				}
				must.Get(sim.Run(t.Context(), omnipitch.Pace{For: 200 * time.Millisecond, Speed: timesync.Max}))(t)
				for _, i := range sent {
					if d := sim.Truth().Robots[i].PoseWB.Pos.Sub(placed[i].PoseWB.Pos).Len(); !(d <= 2e-3) {
						t.Errorf("%s has moved by %.3f m", w.Robots[i].Name, d)
					}
				}
			})
		}
	}
}

// tenOn returns five robots against five on a field, without sensors. Each team has the numbers 1 to 5 and forms a
// column.
func tenOn(t *testing.T, field string) *worlds.World {
	t.Helper()
	text := fmt.Sprintf("name = \"ten\"\nfield = %q\n", field)
	for i := range 10 {
		team, x := "cyan", -1
		if i >= 5 {
			team, x = "magenta", 1
		}
		text += fmt.Sprintf("[[robot]]\nname = \"r%d\"\nmodel = \"nubot\"\nteam = %q\nnumber = %d\npose = { x_m = "+
			"%d, y_m = %d }\n", i, team, i%5+1, x, i%5-2)
	}
	w := must.Get(worlds.Load(must.File(t, "ten.toml", text)))(t)
	for i := range w.Robots {
		w.Robots[i].Sensors = nil
	}
	return w
}

// On simatch's own field, the positions agree to a centimetre with SendingOff_CB of the plugin: (−12 + 2·number, −8.5)
// m, and −7 for robots that may come back, mirrored for magenta. The goalkeeper has no position.
func TestSimatchParksWhereThePluginDoes(t *testing.T) {
	w := tenOn(t, "simatch-22x14")
	sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
	defer sim.Close()
	for i := range w.Robots {
		r := &w.Robots[i]
		for back, y := range map[int16]float64{0: -8.5, int16(10 + r.Number): -7} {
			before := sim.Truth().Robots[i].PoseWB
			must.Do(t, sim.Do(sendOff(t, w, i, int16(r.Number), back)))
			want := spatial.Planar(2*float64(r.Number)-12, y, 0)
			if r.Team == physics.Magenta {
				want = spatial.Planar(12-2*float64(r.Number), y, math.Pi)
			}
			if r.Number == 1 {
				want = before
			}
			got := sim.Truth().Robots[i].PoseWB
			if d := got.Pos.Sub(want.Pos).Len(); !(d <= 1e-9) ||
				!(math.Abs(spatial.WrapAngle(got.Heading()-want.Heading())) <= 1e-9) {
				t.Errorf("%s %d, back %d: parked at %v, want %v", r.Team, r.Number, back, got, want)
			}
		}
	}
}

type coachInfo struct {
	Header                         msg.Header
	MatchMode, MatchType, TestMode uint8
	PointA, PointB                 point2d
	AngleA, AngleB                 int16
	IDA, IDB, Kickforce            uint8
}

// After cyan's coach has said stop, no robot of either team can dribble or kick. After start they can again.
func TestCoachStopsBallHandling(t *testing.T) {
	r, pub := player(t, nil)
	coach := advertise[coachInfo](r, "/cyan/receive_from_coach", "nubot_common/CoachInfo")
	held := func() int { return r.sim.Truth().Ball.HeldBy }
	r.until("the coach", func() bool { return coach.NumSubscribers() > 0 })
	pub.Publish(&actionCmd{HandleEnable: 1})
	r.until("the ball to be held", func() bool { return held() == 0 })
	const stop, start = 0, 15
	coach.Publish(&coachInfo{MatchMode: stop})
	r.until("the ball to be let go", func() bool { return held() == -1 })
	// ask publishes an action and waits until the robot has received it, so no message is in flight at the coach's next
	// command.
	ask := func(a *actionCmd) {
		before := r.commanded()
		pub.Publish(a)
		r.until("an action", func() bool { return r.commanded() > before })
	}
	holding := subscribe[ballIsHolding](r, "/cyan1/ballisholding/BallIsHolding", "nubot_common/BallIsHolding")
	for range 20 {
		ask(&actionCmd{HandleEnable: 1, Strength: 5, ShootPos: 1})
		if held() != -1 || r.sim.Truth().Robots[0].Kicks > 0 {
			t.Fatal("a stopped robot handles the ball")
		}
	}
	r.until("what it holds", func() bool { return holding.newest() != nil })
	must.Equal(t, holding.newest().BallIsHolding, 1, "a stopped robot does not say that the ball is within its reach")
	coach.Publish(&coachInfo{MatchMode: start})
	r.until("the ball to be held again", func() bool { return held() == 0 })
	must.Equal(t, r.sim.Truth().Robots[0].Kicks, 0, "kicks")
	r.until("a kick", func() bool {
		pub.Publish(&actionCmd{HandleEnable: 1, Strength: 5, ShootPos: 1})
		return r.sim.Truth().Robots[0].Kicks > 0
	})
}
