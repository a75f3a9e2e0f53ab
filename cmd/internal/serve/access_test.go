package serve

import (
	"strings"
	"testing"
)

// TestNamesOfTheEnvironment checks that the host names which the environment gives to ROS programs are accepted, and
// the name of a master only if the master is ours.
func TestNamesOfTheEnvironment(t *testing.T) {
	t.Setenv("ROS_HOSTNAME", "sim.lab.example")
	t.Setenv("ROS_IP", "192.0.2.7")
	t.Setenv("ROS_MASTER_URI", "http://master.lab.example:11311/")
	for _, own := range []bool{true, false} {
		r, err := Access{AllowHost: []string{"more.example"}}.rule(own, nil)
		want := "more.example sim.lab.example 192.0.2.7"
		if own {
			want += " master.lab.example"
		}
		if got := strings.Join(r.Hosts, " "); got != want || err != nil {
			t.Errorf("own master %v: %s, %v, want %s", own, got, err, want)
		}
	}
}
