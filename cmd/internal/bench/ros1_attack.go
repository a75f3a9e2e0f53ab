package bench

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// attacks is what attacks did to forty healthy subscribers and to new ones.
type attacks struct {
	lost, received int64
	factors        [][]float64 // of each attack
	served         [][]float64 // seconds until a new subscriber had an image, of each attack
}

// attacks has the simulation attacked in every form, for a while each, and new subscribers come meanwhile: to the topic
// that is attacked and to another.
func (s *soak) attacks(ctx context.Context, node *ros1.Node, d time.Duration) error {
	v, err := node.CallMaster(ctx, "lookupService", node.Name()+"/"+robotio.TopicsService)
	if err != nil {
		return err
	}
	uri, _ := v.(string)
	u, err := url.Parse(uri)
	if err != nil {
		return err
	}
	attacked, other := "/"+s.sim.World().Robots[1].Name+"/camera/image_raw", s.dies
	hostile, err := rospeer.Start(ctx, s.uri, "", "", "hostile")
	if err != nil {
		return err
	}
	defer hostile.Kill()
	late, err := rospeer.Start(ctx, s.uri, "", "", "late", "subscribe", "image", other) // the fortieth
	if err != nil {
		return err
	}
	defer late.Kill()
	for _, a := range rospeer.Attacks {
		var served []float64
		over := make(chan error, 1)
		go func() {
			_, err := hostile.Attack(u.Host+attacked, a)
			for begun, i := time.Now(), 0; err == nil && (i < 2 || time.Since(begun) < d); i++ {
				var joined rospeer.Answer
				if joined, err = late.Ask("join %s", []string{attacked, other}[i%2]); err == nil {
					served = append(served, float64(joined.NS[0])/1e9)
				}
			}
			over <- err
		}()
		var factors []float64
		for done := false; !done; {
			t, err := timeSteps(ctx, s.sim, d)
			factors = append(factors, t.factor)
			select {
			case failed := <-over:
				done, err = true, errors.Join(err, failed)
			default:
			}
			if err != nil {
				return err
			}
		}
		if _, err := hostile.Ask("release"); err != nil {
			return err
		}
		s.hostile.factors, s.hostile.served = append(s.hostile.factors, factors), append(s.hostile.served, served)
		if _, err := timeSteps(ctx, s.sim, settle); err != nil { // what is under way arrives
			return err
		}
		for _, p := range []*rospeer.Process{s.healthy, s.stopped, s.slow, late} {
			a, err := p.Ask("take")
			if err != nil {
				return err
			}
			s.hostile.lost += a.Lost
			s.hostile.received += a.Sent
		}
	}
	return nil
}

// into reports what attacks did; healthy is the real-time factor without any.
func (h attacks) into(report *Report, healthy float64) {
	report.add("soak_hostile_lost", float64(h.lost), "messages", int(h.received))
	for i, a := range rospeer.Attacks {
		report.add("soak_served_"+a.Name, slices.Max(h.served[i]), "s", len(h.served[i]))
		report.addRatio("soak_real_time_factor_"+a.Name, "soak_healthy_real_time_factor", median(h.factors[i])/healthy,
			len(h.factors[i]))
	}
}
