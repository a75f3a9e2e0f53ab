package sweep

import (
	"flag"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/testdata/must"
)

var three = flag.Bool("three", false, "sweep on a cluster of three servers, of which one dies")

// threeServers starts a cluster of NATS servers on loopback and returns their addresses.
func threeServers(t *testing.T) (all []*server.Server, addresses string) {
	t.Helper()
	var routes []*url.URL
	var ports []int
	for range 3 {
		probe, err := net.Listen("tcp", "127.0.0.1:0")
		must.Do(t, err)
		ports = append(ports, probe.Addr().(*net.TCPAddr).Port)
		routes = append(routes, &url.URL{Scheme: "nats", Host: probe.Addr().String()})
		probe.Close()
	}
	var urls []string
	for i := range 3 {
		s, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprint("s", i), Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true,
			StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
			Cluster: server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: ports[i]}, Routes: routes,
		})
		must.Do(t, err)
		go s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		if !s.ReadyForConnections(20 * time.Second) {
			t.Fatal("a server has not begun")
		}
		all, urls = append(all, s), append(urls, s.ClientURL())
	}
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		led, current := false, 0
		for _, s := range all {
			led = led || s.JetStreamIsLeader()
			if s.JetStreamIsCurrent() {
				current++
			}
		}
		if led && current == 3 {
			return all, strings.Join(urls, ",")
		}
		if time.Since(begun) > 30*time.Second {
			t.Fatal("the cluster has no leader")
		}
	}
}

// TestOneOfThreeServersDies checks a cluster of three servers that stores everything three times. One dies in the
// middle of the sweep, and each job must still have exactly one result.
func TestOneOfThreeServersDies(t *testing.T) {
	if !*three {
		t.Skip("make verify-sweep does")
	}
	for n := range 3 { // it may be the leader, or the one that a client uses
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			servers, addresses := threeServers(t)
			p := pretendedPlan(200)
			dial := cluster.Dial{URL: addresses}
			c := Coordinator{Plan: p, Connect: func() (*nats.Conn, error) { return dial.Connect("test") }, Replicas: 3,
				Entry: Entry{Version: "v", Probe: "p", Lease: time.Second}}
			for i := range 2 {
				c.Workers = append(c.Workers, &Worker{Name: fmt.Sprint("w", i), Version: "v", Probe: "p",
					Execute: &pretended{span: 10 * time.Millisecond}})
			}
			var died time.Time
			c.Progress = func(done, _, _ int) {
				if done >= 50 && died.IsZero() {
					died = time.Now()
					servers[n].Shutdown()
				}
			}
			var o *Outcome
			must.Do(t, c.Run(t.Context(), func(got *Outcome) error { o = got; return nil }))
			want(t, o)
			if died.IsZero() {
				t.Error("no server has died")
			}
			t.Logf("150 jobs and a server's death: %.1f s", time.Since(died).Seconds())
			nc, err := c.Connect()
			must.Do(t, err)
			defer nc.Close()
			js, err := jetstreamOf(nc)
			must.Do(t, err)
			for _, name := range []string{keysStream(registry), streamName(p.ID), keysStream(resultsName(p.ID)),
				filesStream(filesName(p.ID))} {
				s, err := js.Stream(t.Context(), name)
				if err != nil || s.CachedInfo().Config.Replicas != 3 {
					t.Errorf("%s: %v, %+v", name, err, s)
				}
			}
			// A sweep with smaller requirements keeps the settings that others have requested.
			small := pretendedPlan(1)
			o = must.Get(sweepWith(t.Context(), t, small, c.Connect, &pretended{}))(t)
			want(t, o)
			if s, err := js.Stream(t.Context(), keysStream(registry)); err != nil ||
				s.CachedInfo().Config.Replicas != 3 {
				t.Errorf("registry: %v, %+v", err, s)
			}
			if s, err := js.Stream(t.Context(), streamName(small.ID)); err != nil ||
				s.CachedInfo().Config.Replicas != 1 {
				t.Errorf("a sweep that asks for one: %v, %+v", err, s)
			}
		})
	}
}
