//go:build cgo

package simulation

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/timesync"
)

const world = `name = "judged"
look = "plain"
ball = { x_m = 3, y_m = 1 }
[[robot]]
name = "cyan1"
model = "nubot"
pose = { x_m = -2 }
[[robot]]
name = "guest"
model = "nubot"
team = "magenta"
absent = true
[[obstacle]]
name = "box"
pose = { x_m = -4, y_m = 2 }
[[obstacle]]
name = "walker"
looks = "person"
absent = true
[[area]]
name = "triangle"
polygon = { points_m = [[0, 0], [2, 0], [0, 2]] }
`

// running is a simulation that runs in real time, with a node of its own and a client's node.
type running struct {
	sim            simtest.Sim
	server, client *ros2.Node
	types          *msg.Library  // of the client
	over           chan struct{} // closed when the run is over
}

func run(t testing.TB) running {
	t.Helper()
	r := running{sim: simtest.New(t, simtest.Parse(t, world), omnipitch.Options{NoWorker: true}),
		over: make(chan struct{})}
	d := must.Domain(t)
	for _, n := range []**ros2.Node{&r.server, &r.client} {
		c := must.Get(ros2.Open(ros2.Config{Domain: d}))(t)
		t.Cleanup(func() { _ = c.Close() })
		*n, r.types = must.Get(c.NewNode("/simulator"))(t), c.Types()
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		defer close(r.over)
		if _, err := r.sim.Run(ctx, omnipitch.Pace{Speed: timesync.RealTime}); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { stop(); <-r.over })
	return r
}

// TestJudged lets the judge test the services, in both name spaces that other simulators have.
func TestJudged(t *testing.T) {
	r := run(t)
	for _, namespace := range []string{"/", "/gzserver"} {
		closer := must.Get(Serve(r.server, r.sim.Sim, namespace))(t)
		must.Equal(t, newJudge(t, r.client, namespace).judge(), nil, "broken rules in %s", namespace)
		must.Do(t, closer.Close())
	}
}

var simulator = flag.Int("simulator", 0, "ROS domain of a running simulator for TestSimulator; 0: there is none")

// TestSimulator judges any simulator whose services have plain names. It changes the simulator's state.
func TestSimulator(t *testing.T) {
	if *simulator == 0 {
		t.Skip("there is no flag -simulator")
	}
	c := must.Get(ros2.Open(ros2.Config{Domain: *simulator}))(t)
	defer c.Close()
	n := must.Get(c.NewNode("/judge"))(t)
	must.Equal(t, newJudge(t, n, "/").judge(), nil, "broken rules")
}

// spoiler is a node of which one service gives other responses.
type spoiler struct {
	wire.Node
	name  string
	spoil func(def *msg.Definition, b []byte) []byte
}

func (n spoiler) Serve(name string, def *msg.ServiceDefinition, f func(ctx context.Context, request,
	out []byte) ([]byte, error)) (io.Closer, error) {
	if name != n.name {
		return n.Node.Serve(name, def, f)
	}
	return n.Node.Serve(name, def, func(ctx context.Context, request, out []byte) ([]byte, error) {
		b, err := f(ctx, request, out)
		return n.spoil(def.Response, b), err
	})
}

// spoiled returns a spoiler that changes the decoded responses of a service.
func spoiled[T any](n wire.Node, name string, change func(*T)) wire.Node {
	return spoiler{n, name, func(def *msg.Definition, b []byte) []byte {
		codec, err := msg.Compile[T](def)
		response := new(T)
		if err == nil {
			err = codec.Decode(b, response)
		}
		if err != nil {
			panic(err)
		}
		change(response)
		return codec.Append(nil, response)
	}}
}

// TestJudgeFindsFaults checks that the judge notes what a wrong simulator does.
func TestJudgeFindsFaults(t *testing.T) {
	r := run(t)
	for i, c := range []struct {
		want string
		node func(name func(typ string) string) wire.Node
	}{
		{"a supported service answers: GetSpawnables", func(name func(string) string) wire.Node {
			return spoiled(r.server, name("GetSpawnables"), func(m *msg.GetSpawnablesResponse) {
				m.Result.Result = msg.ResultFeatureUnsupported
			})
		}},
		{"a service without its feature says so: GetCurrentWorld", func(name func(string) string) wire.Node {
			return spoiled(r.server, name("GetSimulatorFeatures"), func(m *msg.GetSimulatorFeaturesResponse) {
				for i, f := range m.Features.Features {
					if f == msg.FeatureWorldInfoGetting {
						m.Features.Features[i] = 1000
					}
				}
			})
		}},
		{"the simulation is in the state that was set", func(name func(string) string) wire.Node {
			return spoiled(r.server, name("GetSimulationState"), func(m *msg.GetSimulationStateResponse) {
				m.State.State = msg.StatePlaying
			})
		}},
		{"StepSimulation of a simulation that is not paused fails", func(name func(string) string) wire.Node {
			return spoiled(r.server, name("StepSimulation"), func(m *msg.ResultResponse) {
				m.Result = msg.Result{Result: msg.ResultOK}
			})
		}},
		{"a filter with a name returns that entity", func(name func(string) string) wire.Node {
			return spoiled(r.server, name("GetEntities"), func(m *msg.GetEntitiesResponse) {
				m.Entities = []string{"ball", "cyan1", "box"}
			})
		}},
		{"GetEntityState returns the pose that was set", func(name func(string) string) wire.Node {
			return spoiled(r.server, name("GetEntityState"), func(m *msg.GetEntityStateResponse) {
				m.State.Pose.Position.X++
			})
		}},
		{"a deleted entity is not found", func(name func(string) string) wire.Node {
			return spoiled(r.server, name("DeleteEntity"), func(m *msg.ResultResponse) {
				m.Result = msg.Result{Result: msg.ResultOK}
			})
		}},
		{"an unknown pose is not found", func(name func(string) string) wire.Node {
			return spoiled(r.server, name("GetNamedPoseBounds"), func(m *msg.BoundsResponse) {
				m.Result = msg.Result{Result: msg.ResultOK}
			})
		}},
	} {
		namespace := fmt.Sprintf("/fault%d", i)
		n := c.node(func(typ string) string { return ServiceName(namespace, typ) })
		s := &server{sim: r.sim.Sim, infos: map[string]msg.EntityInfo{}}
		closer := must.Get(s.serve(n, namespace))(t)
		steps := must.Get(s.serveSteps(r.server, namespace))(t)
		all := strings.Join(newJudge(t, r.client, namespace).judge(), "\n")
		if !strings.Contains(all, c.want) {
			t.Errorf("got the broken rules %q, want %q", all, c.want)
		}
		must.Do(t, closers{closer, steps}.Close())
	}
}

// TestVersion1 is a client of version 1.x: its requests of SetEntityState have no flags at their end, and spawnables
// have only a URI as resource.
func TestVersion1(t *testing.T) {
	r := run(t)
	closer := must.Get(Serve(r.server, r.sim.Sim, "/"))(t)
	defer closer.Close()
	def := must.Get(r.client.ServiceType("simulation_interfaces/SetEntityState"))(t)
	requests := must.Get(msg.Compile[msg.SetEntityStateRequest](def.Request))(t)
	q := msg.SetEntityStateRequest{Entity: "box", State: msg.EntityState{Pose: msg.Pose{
		Position: msg.Point{X: 1}, Orientation: msg.Quaternion{W: 1}}}}
	b := requests.Append(nil, &q)
	b = must.Get(ros2.CallRaw(t.Context(), r.client, "/set_entity_state", def, b[:len(b)-3]))(t)
	responses := must.Get(msg.Compile[msg.ResultResponse](def.Response))(t)
	var got msg.ResultResponse
	must.Do(t, responses.Decode(b, &got))
	must.Equal(t, got.Result, msg.Result{Result: msg.ResultOK}, "result")
	j := newJudge(t, r.client, "/")
	must.Near(t, "x of the box", j.state("box").State.Pose.Position.X, 1, 1e-9)

	type spawnable struct {
		URI, Description string
		SpawnBounds      msg.Bounds
	}
	type response struct {
		Result     msg.Result
		Spawnables []spawnable
	}
	must.Do(t, r.types.AddMessage("simulation_interfaces/Spawnable",
		"string uri\nstring description\nBounds spawn_bounds\n"))
	old := must.Get(ros2.Call[msg.GetSpawnablesRequest, response](t.Context(), r.client, "/get_spawnables",
		"simulation_interfaces/GetSpawnables", &msg.GetSpawnablesRequest{}))(t)
	if len(old.Spawnables) != 2 || old.Spawnables[0].URI != "guest" || old.Spawnables[1].Description != "person" {
		t.Errorf("got %+v, want the spawnables guest and walker, a person", old)
	}
}

// TestAnswers compares what the world has with what the services say, beyond the rules of the judge.
func TestAnswers(t *testing.T) {
	r := run(t)
	closer := must.Get(Serve(r.server, r.sim.Sim, "/"))(t)
	defer closer.Close()
	j := newJudge(t, r.client, "/")
	j.to(msg.StateStopped)
	must.Equal(t, j.names(msg.EntityFilters{}), []string{"ball", "cyan1", "box"}, "entities")
	must.Equal(t, j.names(msg.EntityFilters{Filter: "c.*|b.x"}), []string{"cyan1", "box"}, "names by expression")
	box := msg.Bounds{Type: msg.BoundsBox, Points: []msg.Vector3{{X: -1.8, Y: 5, Z: 1}, {X: -5, Y: -5, Z: 0.1}}}
	must.Equal(t, j.names(msg.EntityFilters{Bounds: box}), []string{"cyan1", "box"}, "entities in a box")

	set := func(q msg.SetEntityStateRequest) msg.Result {
		return ask[msg.SetEntityStateRequest, msg.ResultResponse](j, "SetEntityState", &q).Result
	}
	q := msg.SetEntityStateRequest{Entity: "cyan1", SetPose: true, SetTwist: true, State: msg.EntityState{
		Header: msg.Header{FrameID: "box"}, Twist: msg.Twist{Linear: msg.Vector3{Y: 0.5}},
		Pose: msg.Pose{Position: msg.Point{X: 1}, Orientation: msg.Quaternion{W: 2}}}}
	must.Equal(t, set(q), msg.Result{Result: msg.ResultOK}, "placing in the frame of another entity")
	got := j.state("cyan1").State
	must.Equal(t, got.Header, msg.Header{FrameID: "world"}, "header")
	must.Equal(t, got.Pose.Position, msg.Point{X: -3, Y: 2}, "position")
	must.Equal(t, got.Twist.Linear, msg.Vector3{Y: 0.5}, "velocity")
	for _, c := range []struct {
		code   uint8
		want   string
		change func(*msg.SetEntityStateRequest)
	}{
		{msg.EntityInvalidPose, "x_m = 60: must lie in [-50, 50]", func(q *msg.SetEntityStateRequest) {
			q.State.Header.FrameID, q.State.Pose.Position.X = "map", 60
		}},
		{msg.ResultOperationFailed, "vy_m_s = 100: must lie in [-50, 50]", func(q *msg.SetEntityStateRequest) {
			q.State.Twist.Linear.Y = 100
		}},
		{msg.ResultNotFound, `frame_id = "guest": must be world or an entity`, func(q *msg.SetEntityStateRequest) {
			q.State.Header.FrameID = "guest"
		}},
	} {
		q := q
		c.change(&q)
		r := set(q)
		must.Fail(t, fmt.Errorf("%s", r.ErrorMessage), c.want, "placing")
		must.Equal(t, r.Result, c.code, "code of %s", c.want)
	}

	bounds := func(typ, name string) msg.Bounds {
		if typ == "GetEntityBounds" {
			return ask[msg.EntityRequest, msg.BoundsResponse](j, typ, &msg.EntityRequest{Entity: name}).Bounds
		}
		return ask[msg.GetNamedPoseBoundsRequest, msg.BoundsResponse](j, typ,
			&msg.GetNamedPoseBoundsRequest{Name: name}).Bounds
	}
	must.Equal(t, bounds("GetEntityBounds", "box"), msg.Bounds{Type: msg.BoundsBox,
		Points: []msg.Vector3{{X: 0.25, Y: 0.25, Z: 0.8}, {X: -0.25, Y: -0.25}}}, "bounds of the box")
	must.Equal(t, bounds("GetEntityBounds", "ball").Type, msg.BoundsSphere, "type of the ball's bounds")
	must.Equal(t, bounds("GetNamedPoseBounds", "triangle"), msg.Bounds{Type: msg.BoundsConvexHull,
		Points: []msg.Vector3{{X: -1, Y: -1}, {X: -1, Y: -1, Z: 10}, {X: 1, Y: -1}, {X: 1, Y: -1, Z: 10},
			{X: -1, Y: 1}, {X: -1, Y: 1, Z: 10}}}, "bounds of an area")
	poses := ask[msg.GetNamedPosesRequest, msg.GetNamedPosesResponse](j, "GetNamedPoses",
		&msg.GetNamedPosesRequest{Tags: msg.TagsFilter{Tags: []string{"start", "cyan"}, FilterMode: msg.FilterAll}})
	must.Equal(t, poses.Poses, []msg.NamedPose{{Name: "cyan1_start", Description: "start pose of a robot",
		Tags: []string{"start", "cyan"}, Pose: poseMessage(spatial.Planar(-2, 0, 0))}}, "start poses of cyan")
	must.Equal(t, ask[msg.EmptyRequest, msg.WorldResponse](j, "GetCurrentWorld", &msg.EmptyRequest{}).World.Name,
		"judged", "world")

	must.Equal(t, j.setState(msg.StateQuitting).Result.Result, msg.ResultOK, "result of quitting")
	select {
	case <-r.over:
	case <-time.After(time.Minute):
		t.Error("the run goes on after quitting")
	}
}
