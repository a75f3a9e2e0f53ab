package robotio

import (
	"maps"
	"slices"
	"strings"
	"testing"

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
