package robotio

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// Services lists the services that a bridge serves, without those that every node has.
func TestServices(t *testing.T) {
	r := newRig(t, func(w *worlds.World) { w.Robots[0].ROS1.Rename = map[string]string{"Shoot": "/kick"} })
	want := must.Get(Services(r.sim.World()))(t)
	g := must.Get(r.robot.Graph(t.Context()))(t)
	var got []string
	for _, name := range slices.Sorted(maps.Keys(g.Services)) {
		if !strings.HasPrefix(name, r.node.Name()+"/") {
			got = append(got, name)
		}
	}
	if !slices.Equal(got, want) || !slices.Contains(got, "/kick") {
		t.Errorf("got %q\nwant %q", got, want)
	}
	w := *r.sim.World()
	w.Robots = slices.Clone(w.Robots)
	w.Robots[0].ROS1.MasterPort = 11400
	if own, err := Services(&w); err != nil || slices.Contains(own, "/kick") || len(own) == 0 {
		t.Errorf("with a robot at its own master: %q, %v", own, err)
	}
}

// Several programs can switch a recording. A call fails with the reason if the run has no recording, or if the
// recording has ended.
func TestRecordService(t *testing.T) {
	var switches must.List[bool]
	var ended error
	r := newRigWith(t, omnipitch.Options{OnRecord: func(on bool) error {
		switches.Add(on)
		return ended
	}}, nil)
	ask := func(r *rig, on bool) *msg.SetBoolResponse {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		a, err := ros1.Call[msg.SetBoolRequest, msg.SetBoolResponse](ctx, r.robot, r.node.Name()+"/record",
			"std_srvs/SetBool", &msg.SetBoolRequest{Data: on})
		if err != nil {
			t.Error(err)
			return &msg.SetBoolResponse{}
		}
		return a
	}
	var all sync.WaitGroup
	for _, on := range []bool{true, false, true, true} {
		all.Go(func() {
			if a := ask(r, on); !a.Success || a.Message != "" {
				t.Errorf("on %v: %+v", on, a)
			}
		})
	}
	all.Wait()
	if n := slices.DeleteFunc(switches.All(), func(on bool) bool { return !on }); len(switches.All()) != 4 ||
		len(n) != 3 {
		t.Errorf("switched %v, want on three times and off once", switches.All())
	}
	ended = errors.New("no space left on device")
	if a := ask(r, true); a.Success || a.Message != ended.Error() {
		t.Errorf("of a recording that has ended: %+v", a)
	}
	if a := ask(newRig(t, nil), true); a.Success || !strings.Contains(a.Message, "the run is not recorded") {
		t.Errorf("of a run without a recording: %+v", a)
	}
}
