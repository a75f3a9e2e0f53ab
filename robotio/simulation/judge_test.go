package simulation

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// judge tests a simulator that offers simulation_interfaces. It knows only the services under a namespace. Its rules
// are those of the comments in the definitions of 2.1.0.
type judge struct {
	t         testing.TB
	node      *ros2.Node
	namespace string
	clients   map[string]any
	features  []uint16
	broken    []string // the rules that the simulator has broken
}

func newJudge(t testing.TB, n *ros2.Node, namespace string) *judge {
	return &judge{t: t, node: n, namespace: namespace, clients: map[string]any{}}
}

// ask calls a service by the name of its type.
func ask[Req, Resp any](j *judge, typ string, q *Req) *Resp {
	j.t.Helper()
	c, ok := j.clients[typ].(*ros2.Client[Req, Resp])
	if !ok {
		c = must.Get(ros2.NewClient[Req, Resp](j.node, ServiceName(j.namespace, typ),
			"simulation_interfaces/srv/"+typ))(j.t)
		j.clients[typ] = c
	}
	ctx, cancel := context.WithTimeout(j.t.Context(), time.Minute)
	defer cancel()
	resp, err := c.Call(ctx, q)
	if err != nil {
		j.t.Fatalf("%s: %v", typ, err)
	}
	return resp
}

// rule notes a rule as broken unless it holds.
func (j *judge) rule(holds bool, rule string, args ...any) {
	if text := fmt.Sprintf(rule, args...); !holds && !slices.Contains(j.broken, text) {
		j.broken = append(j.broken, text)
	}
}

// code notes a broken rule unless a response has one of the codes.
func (j *judge) code(resp any, rule string, codes ...uint8) bool {
	r := reflect.ValueOf(resp).Elem().FieldByName("Result").Interface().(msg.Result)
	ok := slices.Contains(codes, r.Result)
	j.rule(ok, "%s: got result %d (%s), want %v", rule, r.Result, r.ErrorMessage, codes)
	j.rule(r.Result != msg.ResultOK || ok, "%s", rule)
	return ok && r.Result == msg.ResultOK
}

func (j *judge) has(feature uint16) bool { return slices.Contains(j.features, feature) }

// judge tests everything, and returns the broken rules.
func (j *judge) judge() []string {
	f := ask[msg.EmptyRequest, msg.GetSimulatorFeaturesResponse](j, "GetSimulatorFeatures", &msg.EmptyRequest{})
	j.features = f.Features.Features
	for i, x := range j.features {
		j.rule(!slices.Contains(j.features[:i], x), "a feature stands once in GetSimulatorFeatures: %d", x)
	}
	j.unsupported()
	if j.has(msg.FeatureStateSetting) && j.has(msg.FeatureStateGetting) {
		j.states()
	}
	if j.has(msg.FeatureStepSingle) && j.has(msg.FeatureStatePause) {
		j.steps()
	}
	if j.has(msg.FeatureEntityStateGetting) {
		j.entities()
	}
	if j.has(msg.FeatureEntityStateSetting) {
		j.setting()
	}
	if j.has(msg.FeatureSpawning) && j.has(msg.FeatureSpawnables) {
		j.spawning()
	}
	if j.has(msg.FeatureNamedPoses) {
		j.poses()
	}
	return j.broken
}

// unsupported tests that services without their feature say so, and that others do not.
func (j *judge) unsupported() {
	for _, c := range []struct {
		feature uint16
		typ     string
		resp    func(typ string) any
	}{
		{msg.FeatureWorldLoading, "LoadWorld", func(typ string) any {
			return ask[msg.LoadWorldRequest, msg.WorldResponse](j, typ, &msg.LoadWorldRequest{})
		}},
		{msg.FeatureWorldUnloading, "UnloadWorld", func(typ string) any {
			return ask[msg.EmptyRequest, msg.ResultResponse](j, typ, &msg.EmptyRequest{})
		}},
		{msg.FeatureAvailableWorlds, "GetAvailableWorlds", func(typ string) any {
			return ask[msg.GetAvailableWorldsRequest, msg.GetAvailableWorldsResponse](j, typ,
				&msg.GetAvailableWorldsRequest{})
		}},
		{msg.FeatureWorldInfoGetting, "GetCurrentWorld", func(typ string) any {
			return ask[msg.EmptyRequest, msg.WorldResponse](j, typ, &msg.EmptyRequest{})
		}},
		{msg.FeatureSpawnables, "GetSpawnables", func(typ string) any {
			return ask[msg.GetSpawnablesRequest, msg.GetSpawnablesResponse](j, typ, &msg.GetSpawnablesRequest{})
		}},
		{msg.FeatureNamedPoses, "GetNamedPoses", func(typ string) any {
			return ask[msg.GetNamedPosesRequest, msg.GetNamedPosesResponse](j, typ, &msg.GetNamedPosesRequest{})
		}},
		{msg.FeatureSpawningEntities, "SpawnEntities", func(typ string) any {
			return ask[msg.SpawnEntitiesRequest, msg.SpawnEntitiesResponse](j, typ, &msg.SpawnEntitiesRequest{})
		}},
	} {
		if j.has(c.feature) {
			j.code(c.resp(c.typ), "a supported service answers: "+c.typ, msg.ResultOK)
		} else {
			j.code(c.resp(c.typ), "a service without its feature says so: "+c.typ, msg.ResultFeatureUnsupported)
		}
	}
	if !j.has(msg.FeatureResetTime) {
		j.code(j.reset(msg.ScopeTime), "a scope without its feature is unsupported", msg.ResultFeatureUnsupported)
	}
}

func (j *judge) reset(scope uint8) *msg.ResultResponse {
	return ask[msg.ResetSimulationRequest, msg.ResultResponse](j, "ResetSimulation",
		&msg.ResetSimulationRequest{Scope: scope})
}

func (j *judge) setState(state uint8) *msg.ResultResponse {
	return ask[msg.SetSimulationStateRequest, msg.ResultResponse](j, "SetSimulationState",
		&msg.SetSimulationStateRequest{State: msg.SimulationState{State: state}})
}

// to brings the simulation into a state.
func (j *judge) to(state uint8) {
	j.code(j.setState(state), fmt.Sprintf("the simulation can go to state %d", state), msg.ResultOK,
		msg.AlreadyInTargetState)
}

func (j *judge) inState(state uint8) {
	got := ask[msg.EmptyRequest, msg.GetSimulationStateResponse](j, "GetSimulationState", &msg.EmptyRequest{})
	j.code(got, "GetSimulationState answers", msg.ResultOK)
	j.rule(got.State.State == state, "the simulation is in the state that was set: got %d, want %d", got.State.State,
		state)
}

func (j *judge) states() {
	for _, state := range []uint8{msg.StatePaused, msg.StatePlaying, msg.StateStopped, msg.StatePaused,
		msg.StateStopped, msg.StatePlaying} {
		j.code(j.setState(state), fmt.Sprintf("the simulation can go to state %d", state), msg.ResultOK,
			msg.AlreadyInTargetState)
		j.inState(state)
		j.code(j.setState(state), "who asks for the present state is told so", msg.AlreadyInTargetState)
	}
	j.code(j.setState(msg.StateNoWorld), "NO_WORLD is no state to go to", msg.IncorrectTransition,
		msg.StateTransitionError)
}

// now returns the time of the entities' states.
func (j *judge) now() time.Duration {
	all := ask[msg.FiltersRequest, msg.GetEntitiesStatesResponse](j, "GetEntitiesStates", &msg.FiltersRequest{})
	if len(all.States) == 0 {
		return 0
	}
	return all.States[0].Header.Stamp.Since()
}

func (j *judge) steps() {
	step := func(n uint64) *msg.ResultResponse {
		return ask[msg.StepSimulationRequest, msg.ResultResponse](j, "StepSimulation",
			&msg.StepSimulationRequest{Steps: n})
	}
	j.to(msg.StatePlaying)
	j.code(step(1), "StepSimulation of a simulation that is not paused fails", msg.ResultOperationFailed)
	j.to(msg.StateStopped)
	j.to(msg.StatePaused)
	j.rule(j.now() == 0, "a simulation that was stopped and paused has taken no step")
	j.code(step(1), "StepSimulation of a paused simulation succeeds", msg.ResultOK)
	one := j.now()
	j.rule(one > 0, "StepSimulation returns when the step is done")
	if j.has(msg.FeatureStepMultiple) {
		j.code(step(4), "StepSimulation takes several steps", msg.ResultOK)
		j.rule(j.now() == 5*one, "StepSimulation takes as many steps as it is told: got %v, want %v", j.now(), 5*one)
	}
	if j.has(msg.FeatureStepAction) {
		j.rule(j.simulate(3) == statusSucceeded, "SimulateSteps of a paused simulation succeeds")
		j.rule(j.now() == 8*one, "SimulateSteps takes as many steps as it is told: got %v, want %v", j.now(), 8*one)
		j.inState(msg.StatePaused)
		j.to(msg.StatePlaying)
		j.rule(j.simulate(1) == statusAborted, "SimulateSteps of a simulation that is not paused fails")
		j.to(msg.StatePaused)
	}
	j.inState(msg.StatePaused)
}

// Statuses of goals. Source: action_msgs/GoalStatus.
const (
	statusSucceeded = 4
	statusAborted   = 6
)

// simulate sends a goal of SimulateSteps, and returns its last status.
func (j *judge) simulate(steps uint64) int8 {
	j.t.Helper()
	type (
		goalID  struct{ UUID [16]uint8 }
		request struct {
			GoalID goalID
			Goal   msg.StepSimulationRequest
		}
		accepted struct {
			Accepted bool
			Stamp    msg.Time
		}
		result struct {
			Status int8
			Result msg.ResultResponse
		}
		progress struct {
			GoalID   goalID
			Feedback msg.SimulateStepsFeedback
		}
	)
	base := ServiceName(j.namespace, stepsAction) + "/_action/"
	def := must.Get(j.node.ActionType("simulation_interfaces/" + stepsAction))(j.t)
	var got must.List[msg.SimulateStepsFeedback]
	feedbacks := must.Get(msg.Compile[progress](def.FeedbackMessage))(j.t)
	sub := must.Get(ros2.SubscribeAs(j.node, base+"feedback", def.FeedbackMessage, ros2.QoS{Reliable: true, Depth: 100},
		func(b []byte) error {
			var p progress
			err := feedbacks.Decode(b, &p)
			got.Add(p.Feedback)
			return err
		}))(j.t)
	defer sub.Close()
	sub.Confirm()
	must.Until(j.t, "the action's publisher", func() bool { return len(sub.Connections()) == 1 })
	id := goalID{[16]uint8{byte(steps), 1}}
	sent := callAs[request, accepted](j, base+"send_goal", def.SendGoal,
		&request{id, msg.StepSimulationRequest{Steps: steps}})
	j.rule(sent.Accepted, "SimulateSteps accepts a goal")
	type ask struct{ GoalID goalID }
	done := callAs[ask, result](j, base+"get_result", def.GetResult, &ask{id})
	if done.Status == statusSucceeded {
		must.Until(j.t, "feedback after each step", func() bool { return len(got.All()) >= int(steps) })
		for i, f := range got.All() {
			n := uint64(i) + 1
			j.rule(f == msg.SimulateStepsFeedback{CompletedSteps: n, RemainingSteps: steps - n},
				"the feedback of SimulateSteps has the completed and the remaining steps: got %+v", f)
		}
	}
	if r := done.Result.Result; done.Status == statusSucceeded {
		j.rule(r.Result == msg.ResultOK, "the result of SimulateSteps is OK")
	} else {
		j.rule(r.Result == msg.ResultOperationFailed && r.ErrorMessage != "",
			"SimulateSteps of a simulation that is not paused returns OPERATION_FAILED and a message")
	}
	return done.Status
}

// callAs calls a service once, by its definition.
func callAs[Req, Resp any](j *judge, name string, def *msg.ServiceDefinition, q *Req) (resp Resp) {
	j.t.Helper()
	requests := must.Get(msg.Compile[Req](def.Request))(j.t)
	responses := must.Get(msg.Compile[Resp](def.Response))(j.t)
	ctx, cancel := context.WithTimeout(j.t.Context(), time.Minute)
	defer cancel()
	b := must.Get(ros2.CallRaw(ctx, j.node, name, def, requests.Append(nil, q)))(j.t)
	must.Do(j.t, responses.Decode(b, &resp))
	return resp
}

func (j *judge) names(f msg.EntityFilters) []string {
	all := ask[msg.FiltersRequest, msg.GetEntitiesResponse](j, "GetEntities", &msg.FiltersRequest{Filters: f})
	j.code(all, "GetEntities answers", msg.ResultOK)
	return all.Entities
}

func (j *judge) state(name string) *msg.GetEntityStateResponse {
	return ask[msg.EntityRequest, msg.GetEntityStateResponse](j, "GetEntityState", &msg.EntityRequest{Entity: name})
}

const nobody = "there_is_no_such_entity"

func (j *judge) entities() {
	all := j.names(msg.EntityFilters{})
	states := ask[msg.FiltersRequest, msg.GetEntitiesStatesResponse](j, "GetEntitiesStates", &msg.FiltersRequest{})
	j.rule(slices.Equal(states.Entities, all) && len(states.States) == len(all),
		"GetEntitiesStates returns the entities of GetEntities")
	j.code(j.state(nobody), "the state of an unknown entity is not found", msg.ResultNotFound)
	j.rule(len(j.names(msg.EntityFilters{Filter: nobody})) == 0, "a filter that no name matches returns nothing")
	for i, name := range all {
		j.rule(!slices.Contains(all[:i], name), "names of entities are unique")
		j.rule(slices.Equal(j.names(msg.EntityFilters{Filter: name}), []string{name}),
			"a filter with a name returns that entity")
		state := j.state(name)
		j.code(state, "the state of an entity is found", msg.ResultOK)
		p := state.State.Pose.Position
		near := msg.Bounds{Type: msg.BoundsSphere, Points: []msg.Vector3{{X: p.X, Y: p.Y, Z: p.Z}, {X: 0.1}}}
		j.rule(slices.Contains(j.names(msg.EntityFilters{Bounds: near}), name), "a sphere at an entity finds it")
		near.Points[0].X += 1000
		j.rule(len(j.names(msg.EntityFilters{Bounds: near})) == 0, "a sphere far away finds nothing")
		if j.has(msg.FeatureEntityInfoGetting) {
			j.info(name)
		}
		if j.has(msg.FeatureEntityBounds) {
			b := ask[msg.EntityRequest, msg.BoundsResponse](j, "GetEntityBounds", &msg.EntityRequest{Entity: name})
			j.code(b, "bounds of an entity are found", msg.ResultOK)
			n := map[uint8]int{msg.BoundsEmpty: 0, msg.BoundsBox: 2, msg.BoundsSphere: 2}
			want, known := n[b.Bounds.Type]
			j.rule(!known || len(b.Bounds.Points) == want, "a box and a sphere have two points")
			if b.Bounds.Type == msg.BoundsBox && known && len(b.Bounds.Points) == 2 {
				high, low := b.Bounds.Points[0], b.Bounds.Points[1]
				j.rule(high.X > low.X && high.Y > low.Y && high.Z > low.Z, "a box begins with its upper right corner")
			}
		}
	}
	bad := ask[msg.FiltersRequest, msg.GetEntitiesResponse](j, "GetEntities",
		&msg.FiltersRequest{Filters: msg.EntityFilters{Filter: "("}})
	j.code(bad, "a filter that is no regular expression fails", msg.ResultOperationFailed)
}

func (j *judge) info(name string) {
	get := func() *msg.GetEntityInfoResponse {
		return ask[msg.EntityRequest, msg.GetEntityInfoResponse](j, "GetEntityInfo", &msg.EntityRequest{Entity: name})
	}
	was := get()
	j.code(was, "the info of an entity is found", msg.ResultOK)
	if j.has(msg.FeatureEntityCategories) {
		j.rule(slices.Contains(j.names(msg.EntityFilters{Categories: []msg.EntityCategory{was.Info.Category}}), name),
			"a filter with an entity's category finds it")
	}
	if !j.has(msg.FeatureEntityInfoSetting) {
		return
	}
	set := func(info msg.EntityInfo) {
		j.code(ask[msg.SetEntityInfoRequest, msg.ResultResponse](j, "SetEntityInfo",
			&msg.SetEntityInfoRequest{Entity: name, Info: info}), "the info of an entity can be set", msg.ResultOK)
	}
	want := msg.EntityInfo{Category: was.Info.Category, Description: "judged", Tags: []string{"judged", "again"}}
	set(want)
	j.rule(reflect.DeepEqual(get().Info, want), "GetEntityInfo returns what SetEntityInfo has set")
	if j.has(msg.FeatureEntityTags) {
		for mode, n := range map[uint8]int{msg.FilterAny: 1, msg.FilterAll: 0} {
			got := j.names(msg.EntityFilters{Tags: msg.TagsFilter{Tags: []string{"judged", nobody}, FilterMode: mode}})
			j.rule(len(got) == n, "a filter for any tag finds what has one, a filter for all tags what has all")
		}
	}
	set(was.Info)
}

func (j *judge) setting() {
	if j.has(msg.FeatureStatePause) {
		j.to(msg.StatePaused)
	}
	set := func(q msg.SetEntityStateRequest) *msg.ResultResponse {
		return ask[msg.SetEntityStateRequest, msg.ResultResponse](j, "SetEntityState", &q)
	}
	pose := msg.Pose{Position: msg.Point{X: 1.5, Y: -1.25}, Orientation: msg.Quaternion{Z: math.Sqrt2 / 2,
		W: math.Sqrt2 / 2}}
	j.code(set(msg.SetEntityStateRequest{Entity: nobody, SetPose: true, State: msg.EntityState{Pose: pose}}),
		"the state of an unknown entity is not found", msg.ResultNotFound)
	for _, name := range j.names(msg.EntityFilters{}) {
		was := j.state(name).State
		q := msg.SetEntityStateRequest{Entity: name, SetPose: true, State: msg.EntityState{Pose: pose,
			Twist: msg.Twist{Linear: msg.Vector3{X: 2}}}}
		q.State.Pose.Position.Z = was.Pose.Position.Z
		j.code(set(q), "the pose of an entity can be set", msg.ResultOK)
		got := j.state(name).State
		p, want := got.Pose.Position, q.State.Pose.Position
		j.rule(math.Hypot(p.X-want.X, p.Y-want.Y) < 1e-3, "GetEntityState returns the pose that was set")
		j.rule(math.Abs(got.Twist.Linear.X-was.Twist.Linear.X) < 1e-6, "without set_twist, the twist stays")
		q.SetPose = false
		j.code(set(q), "an entity's state without flags changes nothing, and succeeds", msg.ResultOK)
		q.SetPose, q.State.Pose.Orientation = true, msg.Quaternion{}
		j.code(set(q), "an invalid quaternion is an invalid pose", msg.EntityInvalidPose)
		q.State.Pose = was.Pose
		j.code(set(q), "the pose of an entity can be set", msg.ResultOK)
	}
	if j.has(msg.FeatureResetState) {
		j.code(j.reset(msg.ScopeState), "the state can be reset", msg.ResultOK)
		at := j.states0()
		for name := range at {
			q := msg.SetEntityStateRequest{Entity: name, SetPose: true, State: msg.EntityState{Pose: pose}}
			q.State.Pose.Position.Z = at[name].Z
			set(q)
		}
		j.code(j.reset(msg.ScopeState), "the state can be reset", msg.ResultOK)
		for name, p := range j.states0() {
			j.rule(math.Hypot(p.X-at[name].X, p.Y-at[name].Y) < 1e-3, "a reset of the state resets poses")
		}
	}
}

// states0 returns the positions of all entities.
func (j *judge) states0() map[string]msg.Point {
	all := ask[msg.FiltersRequest, msg.GetEntitiesStatesResponse](j, "GetEntitiesStates", &msg.FiltersRequest{})
	at := map[string]msg.Point{}
	for i, name := range all.Entities {
		at[name] = all.States[i].Pose.Position
	}
	return at
}

func (j *judge) spawning() {
	spawn := func(q msg.SpawnEntityRequest) *msg.SpawnResult {
		return ask[msg.SpawnEntityRequest, msg.SpawnResult](j, "SpawnEntity", &q)
	}
	j.code(spawn(msg.SpawnEntityRequest{AllowRenaming: true}), "spawning needs a resource", msg.SpawnNoResource)
	all := ask[msg.GetSpawnablesRequest, msg.GetSpawnablesResponse](j, "GetSpawnables", &msg.GetSpawnablesRequest{})
	odd := ask[msg.GetSpawnablesRequest, msg.GetSpawnablesResponse](j, "GetSpawnables",
		&msg.GetSpawnablesRequest{Sources: []string{nobody}})
	j.code(odd, "unknown sources do not hinder success", msg.ResultOK)
	j.rule(odd.Result.ErrorMessage != "", "unknown sources are listed in the error message")
	for _, s := range all.Spawnables {
		before := j.names(msg.EntityFilters{})
		q := msg.SpawnEntityRequest{AllowRenaming: true, EntityResource: s.EntityResource}
		q.InitialPose.Pose = msg.Pose{Position: msg.Point{X: 2.5, Y: 2.5}}
		j.code(spawn(q), "an invalid quaternion is an invalid pose", msg.SpawnInvalidPose)
		q.InitialPose.Pose.Orientation.W = 1
		q.EntityNamespace = "1 is no namespace"
		j.code(spawn(q), "an invalid namespace is refused", msg.SpawnNamespaceInvalid)
		q.EntityNamespace = ""
		got := spawn(q)
		if !j.code(got, "what GetSpawnables lists can be spawned", msg.ResultOK) {
			continue
		}
		j.rule(!slices.Contains(before, got.EntityName), "the name of a spawned entity is unique")
		j.rule(slices.Contains(j.names(msg.EntityFilters{}), got.EntityName), "a spawned entity is an entity")
		if p := j.state(got.EntityName).State.Pose.Position; j.has(msg.FeatureStatePause) {
			j.rule(math.Hypot(p.X-2.5, p.Y-2.5) < 0.1, "a spawned entity has its initial pose")
		}
		q.Name, q.AllowRenaming = got.EntityName, false
		j.code(spawn(q), "a name that is taken is refused", msg.SpawnNameNotUnique)
		remove := func() *msg.ResultResponse {
			return ask[msg.EntityRequest, msg.ResultResponse](j, "DeleteEntity",
				&msg.EntityRequest{Entity: got.EntityName})
		}
		j.code(remove(), "an entity can be deleted", msg.ResultOK)
		j.rule(slices.Equal(j.names(msg.EntityFilters{}), before), "a deleted entity is no entity")
		j.code(remove(), "a deleted entity is not found", msg.ResultNotFound)
		if j.has(msg.FeatureSpawningEntities) {
			q.Name, q.AllowRenaming = "", true
			both := ask[msg.SpawnEntitiesRequest, msg.SpawnEntitiesResponse](j, "SpawnEntities",
				&msg.SpawnEntitiesRequest{SpawnRequests: []msg.SpawnEntityRequest{q, {AllowRenaming: true}}})
			j.code(both, "one failed request fails SpawnEntities", msg.EntitiesSpawnFailed)
			if j.rule(len(both.Results) == 2, "SpawnEntities has a result for each request"); len(both.Results) == 2 {
				j.code(&both.Results[0], "a request after which another fails succeeds", msg.ResultOK)
				j.code(&both.Results[1], "spawning needs a resource", msg.SpawnNoResource)
			}
		}
	}
	if j.has(msg.FeatureResetSpawned) {
		j.code(j.reset(msg.ScopeSpawned), "spawned entities can be reset", msg.ResultOK)
		after := ask[msg.GetSpawnablesRequest, msg.GetSpawnablesResponse](j, "GetSpawnables",
			&msg.GetSpawnablesRequest{})
		j.rule(len(after.Spawnables) == len(all.Spawnables), "a reset de-spawns all spawned entities")
	}
}

func (j *judge) poses() {
	all := ask[msg.GetNamedPosesRequest, msg.GetNamedPosesResponse](j, "GetNamedPoses", &msg.GetNamedPosesRequest{})
	seen := map[string]bool{}
	for _, p := range all.Poses {
		j.rule(!seen[p.Name], "names of poses are unique")
		seen[p.Name] = true
		if j.has(msg.FeaturePoseBounds) {
			j.code(ask[msg.GetNamedPoseBoundsRequest, msg.BoundsResponse](j, "GetNamedPoseBounds",
				&msg.GetNamedPoseBoundsRequest{Name: p.Name}), "a named pose has bounds", msg.ResultOK)
		}
	}
	if j.has(msg.FeaturePoseBounds) {
		j.code(ask[msg.GetNamedPoseBoundsRequest, msg.BoundsResponse](j, "GetNamedPoseBounds",
			&msg.GetNamedPoseBoundsRequest{Name: nobody}), "an unknown pose is not found", msg.ResultNotFound)
	}
}
