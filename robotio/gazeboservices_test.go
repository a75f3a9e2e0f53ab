package robotio

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// Requests and responses of Gazebo's services, field by field.
type (
	getState     struct{ ModelName, RelativeEntityName string }
	getLinkState struct{ LinkName, ReferenceFrame string }
	gotState     struct {
		Header        msg.Header
		Pose          gazeboPose
		Twist         msg.Twist
		Success       bool
		StatusMessage string
	}
	linkState struct {
		LinkName       string
		Pose           gazeboPose
		Twist          msg.Twist
		ReferenceFrame string
	}
	gotLinkState struct {
		LinkState     linkState
		Success       bool
		StatusMessage string
	}
	setLinkState    struct{ LinkState linkState }
	named           struct{ ModelName string }
	modelProperties struct {
		ParentModelName, CanonicalBodyName                string
		BodyNames, GeomNames, JointNames, ChildModelNames []string
		IsStatic, Success                                 bool
		StatusMessage                                     string
	}
	applyBodyWrench struct {
		BodyName, ReferenceFrame string
		ReferencePoint           msg.Vector3
		Wrench                   struct{ Force, Torque msg.Vector3 }
		StartTime                msg.Time
		Duration                 msg.Duration
	}
	spawnModel struct {
		ModelName, ModelXml, RobotNamespace string
		InitialPose                         gazeboPose
		ReferenceFrame                      string
	}
	bodyRequest     struct{ BodyName string }
	nothing         struct{}
	worldProperties struct {
		SimTime                   float64
		ModelNames                []string
		RenderingEnabled, Success bool
		StatusMessage             string
	}
	odePhysics struct {
		AutoDisableBodies                                                                  bool
		SorPgsPreconIters, SorPgsIters                                                     uint32
		SorPgsW, SorPgsRmsErrorTol, ContactSurfaceLayer, ContactMaxCorrectingVel, Cfm, Erp float64
		MaxContacts                                                                        uint32
	}
	physicsProperties struct {
		TimeStep      float64
		Pause         bool
		MaxUpdateRate float64
		Gravity       msg.Vector3
		ODEConfig     odePhysics
		Success       bool
		StatusMessage string
	}
)

func (p gazeboPose) spatial() spatial.Pose {
	return spatial.Pose{Pos: mgl64.Vec3{p.Position.X, p.Position.Y, p.Position.Z}, Rot: mgl64.Quat{W: p.Orientation.W,
		V: mgl64.Vec3{p.Orientation.X, p.Orientation.Y, p.Orientation.Z}}}
}

func poseOf(p spatial.Pose) (g gazeboPose) {
	g.Position = msg.Vector3{X: p.Pos[0], Y: p.Pos[1], Z: p.Pos[2]}
	g.Orientation.X, g.Orientation.Y, g.Orientation.Z, g.Orientation.W = p.Rot.V[0], p.Rot.V[1], p.Rot.V[2], p.Rot.W
	return g
}

// A program puts a body at a pose in the frame of another body, and reads that pose back in the same frame. It does so
// by models and by links, with the profile that turns magenta's bodies and with the one that does not.
func TestStatesInFramesOfModels(t *testing.T) {
	for _, profile := range []string{"gazebo", "nubot"} {
		t.Run(profile, func(t *testing.T) {
			r := newRig(t, func(w *worlds.World) {
				for i := range w.Robots {
					w.Robots[i].ROS1.Profiles = []string{profile}
				}
			})
			link := map[string]string{"gazebo": "::link", "nubot": "::chassis"}[profile]
			for i, c := range []struct{ model, frame string }{
				{"magenta1", "cyan1"}, {"cyan1", "magenta1"}, {"obstacle1", "magenta1"}, {"cyan1", "world"},
				{"football", "magenta1"}, {"football", "cyan1"},
			} {
				want := spatial.Planar(0.8+float64(i), -0.3, 0.4) // no two bodies at one place
				var twist msg.Twist
				if c.model == "football" {
					twist.Linear = msg.Vector3{X: 0.2, Y: 0.1}
					want = spatial.Pose{Pos: mgl64.Vec3{1, 0.5 + float64(i)/10, 0.6}, Rot: mgl64.QuatIdent()}
				}
				frame := c.frame
				if frame != "world" {
					frame += link
				}
				set := call[setModelState, stateSet](r, "/gazebo/set_model_state", "gazebo_msgs/SetModelState",
					&setModelState{modelState{c.model, poseOf(want), twist, c.frame}})
				if i%2 == 1 {
					name := c.model + link
					set = call[setLinkState, stateSet](r, "/gazebo/set_link_state", "gazebo_msgs/SetLinkState",
						&setLinkState{linkState{name, poseOf(want), twist, frame}})
				}
				if !set.Success {
					t.Fatal(set.StatusMessage)
				}
				got := call[getState, gotState](r, "/gazebo/get_model_state", "gazebo_msgs/GetModelState",
					&getState{c.model, frame})
				if !got.Success || got.Header.FrameID != frame {
					t.Fatalf("%s: %v, frame %q", got.StatusMessage, got.Success, got.Header.FrameID)
				}
				// the ball moves on after it has been placed
				if d := got.Pose.spatial().Pos.Sub(want.Pos); !(math.Hypot(d[0], d[1]) < 0.04) {
					t.Errorf("%s in %s is at %v, want %v", c.model, frame, got.Pose.Position, want.Pos)
				}
				if v := got.Twist.Linear; !(math.Hypot(v.X-twist.Linear.X, v.Y-twist.Linear.Y) < 0.05) {
					t.Errorf("%s in %s moves at %v, want %v", c.model, frame, v, twist.Linear)
				}
				if d := got.Pose.spatial().Heading() - want.Heading(); c.model != "football" && !(math.Abs(d) < 0.01) {
					t.Errorf("%s in %s has heading %v, want %v", c.model, frame, got.Pose.spatial().Heading(),
						want.Heading())
				}
			}
		})
	}
}

// Links have the states of their models, and the names that the profile gives them.
func TestLinkStates(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		w.Robots[0].ROS1.Profiles = []string{"nubot-single"}
		w.Robots = w.Robots[:1]
	})
	models := receive[modelStates](r, "/gazebo/model_states", "gazebo_msgs/ModelStates")
	links := receive[modelStates](r, "/gazebo/link_states", "gazebo_msgs/LinkStates")
	want := []string{"ground_plane::link", "field::link", "left_goal::link", "right_goal::link", "football::ball",
		"cyan1::chassis", "obstacle1::link", "obstacle2::link"}
	must.Equal(t, len(links.Name), len(models.Name), "links")
	for i := range want {
		must.Equal(t, links.Name[i], want[i], "link %d", i)
		if d := links.Pose[i].spatial().Pos.Sub(models.Pose[i].spatial().Pos).Len(); !(d < 0.1) {
			t.Errorf("%s is %v m from its model", links.Name[i], d)
		}
		got := call[getLinkState, gotLinkState](r, "/gazebo/get_link_state", "gazebo_msgs/GetLinkState",
			&getLinkState{LinkName: want[i]})
		must.Equal(t, got.LinkState.LinkName, want[i], "get_link_state")
		if d := got.LinkState.Pose.spatial().Pos.Sub(models.Pose[i].spatial().Pos).Len(); !(d < 0.1) {
			t.Errorf("get_link_state: %s is %v m from its model", want[i], d)
		}
	}
	got := call[getLinkState, gotLinkState](r, "/gazebo/get_link_state", "gazebo_msgs/GetLinkState",
		&getLinkState{LinkName: "football"})
	if want := `"football" is no link`; got.Success || got.StatusMessage[:len(want)] != want {
		t.Errorf("a model as a link: %v, %q; want %q", got.Success, got.StatusMessage, want)
	}
}

// Gazebo's services for properties describe the world, and refuse what it does not have.
func TestGazeboProperties(t *testing.T) {
	r := newRig(t, func(w *worlds.World) { w.Robots[0].ROS1.Profiles = []string{"gazebo"}; w.Robots = w.Robots[:1] })
	world := call[nothing, worldProperties](r, "/gazebo/get_world_properties", "gazebo_msgs/GetWorldProperties",
		&nothing{})
	names := []string{"ground_plane", "field", "goal_minus", "goal_plus", "football", "cyan1", "obstacle1", "obstacle2"}
	must.Equal(t, len(world.ModelNames), len(names), "models")
	for i, name := range names {
		must.Equal(t, world.ModelNames[i], name, "model %d", i)
		m := call[named, modelProperties](r, "/gazebo/get_model_properties", "gazebo_msgs/GetModelProperties",
			&named{name})
		if !m.Success || m.IsStatic != (i < 4) || len(m.BodyNames) != 1 || m.BodyNames[0] != "link" {
			t.Errorf("%s: %+v", name, m)
		}
	}
	for asked, want := range map[string]string{"Cyan1": `"Cyan1" is no model; did you mean cyan1?`,
		"cyan1::link": `"cyan1::link" is no model`} {
		m := call[named, modelProperties](r, "/gazebo/get_model_properties", "gazebo_msgs/GetModelProperties",
			&named{asked})
		if m.Success || m.StatusMessage != want {
			t.Errorf("%v, %q; want %q", m.Success, m.StatusMessage, want)
		}
	}
	state := call[getState, gotState](r, "/gazebo/get_model_state", "gazebo_msgs/GetModelState",
		&getState{"cyan1", "nowhere"})
	if want := `"nowhere" is no model or link, and not the world`; state.Success || state.StatusMessage != want {
		t.Errorf("%v, %q; want %q", state.Success, state.StatusMessage, want)
	}
	p := call[nothing, physicsProperties](r, "/gazebo/get_physics_properties", "gazebo_msgs/GetPhysicsProperties",
		&nothing{})
	must.Near(t, "time_step", p.TimeStep, r.sim.World().Time.Step.Seconds(), 0)
	must.Near(t, "gravity", p.Gravity.Z, -r.sim.World().Physics.Gravity, 0)
	if p.Pause || !p.Success {
		t.Errorf("%+v", p)
	}
}

// A wrench moves a body, until it is cleared. A request that names no body, or a frame of another one, changes nothing.
func TestBodyWrenches(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		w.Robots[0].ROS1.Profiles = []string{"gazebo"}
		w.Robots = w.Robots[:1]
		w.Obstacles = nil
		w.Ball.X, w.Ball.Y = -7, 5
	})
	apply := func(q applyBodyWrench) *stateSet {
		return call[applyBodyWrench, stateSet](r, "/gazebo/apply_body_wrench", "gazebo_msgs/ApplyBodyWrench", &q)
	}
	q := applyBodyWrench{BodyName: "football::link", Duration: msg.Duration{Sec: -1}}
	q.Wrench.Force.X = 1
	if got := apply(q); !got.Success {
		t.Fatal(got.StatusMessage)
	}
	speed := func() float64 { return r.sim.Truth().Ball.TwistInW.Lin[0] }
	r.until("the ball to roll", func() bool { return speed() > 1 })
	call[bodyRequest, nothing](r, "/gazebo/clear_body_wrenches", "gazebo_msgs/BodyRequest",
		&bodyRequest{"football::link"})
	call[nothing, worldProperties](r, "/gazebo/get_world_properties", "gazebo_msgs/GetWorldProperties", &nothing{})
	before := speed()
	r.run(100*time.Millisecond, timesync.Max)
	if now := speed(); !(now < before) {
		t.Errorf("after clear_body_wrenches, the ball goes on from %v to %v m/s", before, now)
	}
	for want, change := range map[string]func(*applyBodyWrench){
		`name = "nobody": is neither ball, robot nor obstacle`: func(q *applyBodyWrench) { q.BodyName = "nobody" },
		`reference_frame = "cyan1": must be one of "", "world", "map"`: func(q *applyBodyWrench) {
			q.ReferenceFrame = "cyan1"
		},
	} {
		bad := q
		change(&bad)
		if got := apply(bad); got.Success || got.StatusMessage != want {
			t.Errorf("%v, %q; want %q", got.Success, got.StatusMessage, want)
		}
	}
}

// Scripts that spawn a simulator's robots find them in the world, and put them where they want them. A deleted model is
// in no list and has no state until it is spawned again. A model of the world that begins absent comes where it is
// spawned. Other models are refused.
func TestSpawnAndDeleteModel(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		w.Robots[0].ROS1.Profiles = []string{"gazebo"}
		w.Robots = w.Robots[:1]
		w.Obstacles[1].Absent = true
	})
	spawn := func(name string) *stateSet {
		return call[spawnModel, stateSet](r, "/gazebo/spawn_sdf_model", "gazebo_msgs/SpawnModel", &spawnModel{
			ModelName: name, ModelXml: "<sdf/>", InitialPose: poseOf(spatial.Planar(1.5, -2, 0))})
	}
	remove := func(name string) *stateSet {
		return call[named, stateSet](r, "/gazebo/delete_model", "gazebo_msgs/DeleteModel", &named{name})
	}
	done := func(what string, got *stateSet) {
		t.Helper()
		if !got.Success || got.StatusMessage != "" {
			t.Errorf("%s: %v, %q", what, got.Success, got.StatusMessage)
		}
	}
	models := func(what string, want ...string) {
		t.Helper()
		want = append([]string{"ground_plane", "field", "goal_minus", "goal_plus", "football"}, want...)
		world := call[nothing, worldProperties](r, "/gazebo/get_world_properties", "gazebo_msgs/GetWorldProperties",
			&nothing{})
		must.Equal(t, strings.Join(world.ModelNames, " "), strings.Join(want, " "), "%s: models", what)
	}
	state := func(name string) *gotState {
		return call[getState, gotState](r, "/gazebo/get_model_state", "gazebo_msgs/GetModelState", &getState{name, ""})
	}

	models("at the start", "cyan1", "obstacle1")
	must.Equal(t, len(receive[modelStates](r, "/gazebo/model_states", "gazebo_msgs/ModelStates").Name), 3,
		"models of model_states")
	if got := state("obstacle2"); got.Success || !strings.HasPrefix(got.StatusMessage, `"obstacle2" is no model`) {
		t.Errorf("an absent model: %v, %q", got.Success, got.StatusMessage)
	}
	done("a robot that is there", spawn("cyan1"))
	r.until("the robot to be there", func() bool { return abs(r.sim.Truth().Robots[0].PoseWB.Pos[0]-1.5) < 1e-3 })
	done("deleting the robot", remove("cyan1"))
	done("deleting an obstacle", remove("obstacle1"))
	models("without both")
	if got := state("cyan1"); got.Success || got.StatusMessage != `"cyan1" is no model` {
		t.Errorf("a deleted robot: %v, %q", got.Success, got.StatusMessage)
	}
	must.Equal(t, len(receive[modelStates](r, "/gazebo/model_states", "gazebo_msgs/ModelStates").Name), 1,
		"models of model_states")
	set := call[setModelState, stateSet](r, "/gazebo/set_model_state", "gazebo_msgs/SetModelState", &setModelState{
		modelState{ModelName: "cyan1", Pose: poseOf(spatial.Planar(0, 0, 0))}})
	if want := `"cyan1" is absent: action spawn brings it`; set.Success || set.StatusMessage != want {
		t.Errorf("moving a deleted robot: %v, %q; want %q", set.Success, set.StatusMessage, want)
	}
	done("the obstacle that began absent", spawn("obstacle2"))
	models("with that obstacle", "obstacle2")
	if at := state("obstacle2").Pose.Position; !(math.Hypot(at.X-1.5, at.Y+2) < 0.01) {
		t.Errorf("obstacle2 is at %v, want (1.5, -2)", at)
	}

	want := `"box7" is neither a robot nor an obstacle, nor is it "football": nothing is moved`
	for what, got := range map[string]*stateSet{"spawning": spawn("box7"), "deleting": remove("box7")} {
		if got.Success || got.StatusMessage != want {
			t.Errorf("%s: %v, %q; want %q", what, got.Success, got.StatusMessage, want)
		}
	}
	want = `name = "ball": the ball is always there: place moves it`
	for what, got := range map[string]*stateSet{"spawning": spawn("football"), "deleting": remove("football")} {
		if got.Success || got.StatusMessage != want {
			t.Errorf("%s: %v, %q; want %q", what, got.Success, got.StatusMessage, want)
		}
	}
}
