package robotio

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// said sends the coach a request and returns the answer.
func said(r *rig, q msg.CoachRequest) *msg.CoachResponse {
	return call[msg.CoachRequest, msg.CoachResponse](r, "/omnipitch/coach", "omnipitch_msgs/Coach", &q)
}

// After the first game command, both teams' world models receive the state of the game in NuBot's message, each from
// its own point of view. A command for one team reaches only that team.
func TestCoachTellsWorldModels(t *testing.T) {
	r := newRig(t, nil)
	teams := map[string]*inbox[coachInfo]{}
	for _, team := range []string{"cyan", "magenta"} {
		teams[team] = subscribe[coachInfo](r, "/"+team+"/receive_from_coach", "nubot_common/CoachInfo")
	}
	connected := func() bool {
		return teams["cyan"].sub.NumPublishers() == 1 && teams["magenta"].sub.NumPublishers() == 1
	}
	r.until("connections", connected)
	r.until("a while", after(r, 200*time.Millisecond))
	if teams["cyan"].newest() != nil {
		t.Fatal("a coach speaks before anybody has commanded the game")
	}
	for _, c := range []struct {
		command, team             string
		cyan, cyanBefore, magenta uint8
	}{
		{"stop", "", 0, 15, 0},
		{"kickoff", "cyan", 1, 0, 2},
		{"start", "", 15, 1, 15},
		{"throwin", "magenta", 4, 15, 3},
		{"corner", "cyan", 9, 4, 10},
		{"goalkick", "magenta", 8, 9, 7},
		{"freekick", "cyan", 11, 8, 12},
		{"penalty", "magenta", 6, 11, 5},
		{"drop_ball", "", 13, 6, 13},
		{"park", "", 25, 13, 25},
	} {
		if a := said(r, msg.CoachRequest{Command: c.command, Team: c.team}); !a.Success {
			t.Fatalf("%s: %s", c.command, a.Message)
		}
		r.until(c.command, func() bool {
			cyan, magenta := teams["cyan"].newest(), teams["magenta"].newest()
			return cyan != nil && cyan.MatchMode == c.cyan && cyan.MatchType == c.cyanBefore && magenta != nil &&
				magenta.MatchMode == c.magenta
		})
	}

	told := msg.CoachRequest{Team: "magenta", Mode: "test", TestMode: 4, A: [3]float64{1.25, -2, math.Pi / 2},
		B: [3]float64{3, 4, -math.Pi}, IDA: 2, IDB: 3, Kick: 7}
	if a := said(r, told); !a.Success {
		t.Fatal(a.Message)
	}
	r.until("magenta to be told", func() bool { return teams["magenta"].newest().MatchMode == 27 })
	got := *teams["magenta"].newest()
	got.Header = msg.Header{}
	want := coachInfo{MatchMode: 27, MatchType: 25, TestMode: 4, PointA: point2d{125, -200}, PointB: point2d{300, 400},
		AngleA: 90, AngleB: -180, IDA: 2, IDB: 3, Kickforce: 7}
	if got != want || teams["cyan"].newest().MatchMode != 25 {
		t.Errorf("magenta is told %+v, want %+v; cyan %+v", got, want, teams["cyan"].newest())
	}

	for _, c := range []struct {
		q    msg.CoachRequest
		want string
	}{
		{msg.CoachRequest{Command: "dance"}, `"dance"`}, {msg.CoachRequest{Command: "kickoff"},
			"must be cyan or magenta"},
		{msg.CoachRequest{Mode: "own_dance"}, `"own_dance"`}, {msg.CoachRequest{Team: "green"}, `"green"`},
		{msg.CoachRequest{A: [3]float64{math.NaN()}}, "a_x_m"},
	} {
		if a := said(r, c.q); a.Success || !strings.Contains(a.Message, c.want) {
			t.Errorf("%+v: %+v, want %s", c.q, a, c.want)
		}
	}
}

// While a team has its own coach, the simulation sends no coach messages to that team.
func TestCoachIsSilentBesideATeamsOwn(t *testing.T) {
	r := newRig(t, nil)
	got := subscribe[coachInfo](r, "/cyan/receive_from_coach", "nubot_common/CoachInfo")
	other := subscribe[coachInfo](r, "/magenta/receive_from_coach", "nubot_common/CoachInfo")
	said(r, msg.CoachRequest{Command: "stop"})
	r.until("the coach", func() bool { return got.newest() != nil && other.newest() != nil })
	program := newNode(t, r.master, "/own_coach")
	own := must.Get(ros1.Advertise[coachInfo](program, "/cyan/receive_from_coach", "nubot_common/CoachInfo",
		ros1.PubOptions{}))(t)
	const test = 27
	r.until("its own coach alone", func() bool {
		own.Publish(&coachInfo{MatchMode: test})
		return got.newest().MatchMode == test && own.NumSubscribers() == 2
	})
	r.until("a while", after(r, 100*time.Millisecond))
	said(r, msg.CoachRequest{Command: "park"})
	r.until("the other team", func() bool { return other.newest().MatchMode == 25 })
	r.until("a while", after(r, 100*time.Millisecond))
	must.Equal(t, got.newest().MatchMode, test, "two coaches: mode")
	must.Do(t, own.Close())
	r.until("the simulation's again", func() bool { return got.newest().MatchMode == 25 })
}

// A robot whose name is not valid on ROS 1 needs its own namespace. Its team's coach is then named after the team.
func TestCoachOfARobotWithoutAROSName(t *testing.T) {
	w, err := worlds.Parse("w.toml", []byte(two("\"cyan-1\"\nmodel = \"differential\"\nros1.namespace = \"bot\"",
		"\"b\"\nmodel = \"differential\"")))
	if err == nil {
		err = Check(w)
	}
	must.Do(t, err)
}

// Programs receive the referee's decisions with the facts behind them, even if they subscribe later. Without a referee
// there is no such topic.
func TestDecisionsTopic(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		w.Referee = worlds.RefereeAuto
		w.Rules.KickOff, w.Rules.Half = "none", time.Second
		w.Rules.Off = []string{"goal", "ball_out"}
	})
	r.until("half-time", func() bool { return r.sim.Truth().Time > 1100*time.Millisecond })
	got := receive[msg.Decision](r, decisionsTopic, "omnipitch_msgs/Decision")
	want := msg.Decision{
		Header: got.Header, Step: 200, Rule: "half", Reason: "the first half is over", Place: got.Place,
		Command: "half_time",
		Basis:   []msg.Quantity{{Name: "time", Value: 1, Unit: "s", Limit: 1}},
	}
	if diff := cmp.Diff(want, *got); diff != "" || got.Header.Stamp.Since() != time.Second {
		t.Errorf("at %v: (-want +got)\n%s", got.Header.Stamp.Since(), diff)
	}
	for _, topic := range newRig(t, nil).bridge.Topics() {
		if topic.Topic == decisionsTopic {
			t.Error("without a referee there is a topic")
		}
	}
}
