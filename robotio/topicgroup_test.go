package robotio

import (
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Groups have those topics as subscribed that have a subscriber, after each one that comes or goes.
func TestGroupsFollowSubscribers(t *testing.T) {
	r := newRig(t, nil)
	groups := r.bridge.nodes[r.node].groups
	total := 0
	for _, g := range groups {
		total += len(g.now().all)
	}
	alone := 0 // topics without a group are published once
	for _, p := range r.bridge.publishers {
		if p.Context.Sensor == nil && p.Publish.Rate == 0 {
			alone++
		}
	}
	must.Equal(t, total+alone, len(r.bridge.publishers), "topics of groups and others")
	check := func(after string) {
		t.Helper()
		for name, g := range groups {
			var want []*topicPublisher
			for _, p := range g.now().all {
				if p.pub.NumSubscribers() > 0 {
					want = append(want, p)
				}
			}
			must.Equal(t, len(g.now().subscribed), len(want), "%s: subscribed topics of group %q", after, name)
			for i, p := range g.now().subscribed {
				must.Equal(t, p, want[i], "%s: a subscribed topic of group %q", after, name)
			}
		}
	}
	check("at first")
	odometry := r.publisher("/cyan1/odom")
	listened := func() bool {
		l := groups["cyan1.odometry"].listener()
		return l.Wants(odometry.Context.Sensor.Level)
	}
	for range 3 {
		b := subscribe[msg.Odometry](r, "/cyan1/odom", "nav_msgs/Odometry")
		r.until("odometry", func() bool { return b.newest() != nil })
		check("with a subscriber")
		must.Equal(t, listened(), true, "the odometry is wanted")
		b.sub.Close()
		r.until("the subscriber to leave", func() bool { return odometry.pub.NumSubscribers() == 0 })
		check("without a subscriber")
		must.Equal(t, listened(), false, "the odometry is wanted")
	}
}
