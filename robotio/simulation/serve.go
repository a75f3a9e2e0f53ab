package simulation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// server serves the interfaces of one Sim.
type server struct {
	sim      *omnipitch.Sim
	mu       sync.Mutex  // is held while the state of the simulation changes
	stopped  atomic.Bool // SetSimulationState has stopped the simulation, and nothing has started it since
	quitting atomic.Bool
	// what SetEntityInfo has set, by the name of the entity; belongs to the goroutine that steps
	infos map[string]msg.EntityInfo
}

// service is a row of the table of services.
type service struct {
	typ      string   // name of the type; that of the service is the same in snake case
	features []uint16 // the features that the service provides
	handler  handler
	added    []byte // the bytes that requests of version 1.x lack at their end
	// If not nil, response1 returns the function that encodes responses for clients of version 1.x.
	response1 func(def *msg.ServiceDefinition) (encode func(out []byte, response any) []byte, err error)
}

// handler offers a service under a name.
type handler func(s *server, n wire.Node, name string, def *msg.ServiceDefinition, row *service) (io.Closer, error)

// table returns all services of simulation_interfaces.
func table() []service {
	return []service{
		{typ: "GetSimulatorFeatures", handler: direct((*server).getFeatures)},
		{typ: "GetSimulationState", features: []uint16{msg.FeatureStateGetting}, handler: direct((*server).getState)},
		{typ: "SetSimulationState", features: []uint16{msg.FeatureStateSetting, msg.FeatureStatePause},
			handler: direct((*server).setState)},
		{typ: "ResetSimulation", features: []uint16{msg.FeatureReset, msg.FeatureResetState, msg.FeatureResetSpawned},
			handler: direct((*server).reset)},
		{typ: "StepSimulation", features: []uint16{msg.FeatureStepSingle, msg.FeatureStepMultiple},
			handler: direct((*server).step)},

		{typ: "GetEntities", features: []uint16{msg.FeatureEntityTags, msg.FeatureEntityCategories,
			msg.FeatureEntityBoundsBox}, handler: inStep((*server).getEntities)},
		{typ: "GetEntitiesStates", handler: inStep((*server).getStates)},
		{typ: "GetEntityState", features: []uint16{msg.FeatureEntityStateGetting},
			handler: inStep((*server).getEntityState)},
		{typ: "SetEntityState", features: []uint16{msg.FeatureEntityStateSetting},
			handler: inStep((*server).setEntityState), added: []byte{1, 1, 0}},
		{typ: "GetEntityInfo", features: []uint16{msg.FeatureEntityInfoGetting}, handler: inStep((*server).getInfo)},
		{typ: "SetEntityInfo", features: []uint16{msg.FeatureEntityInfoSetting}, handler: inStep((*server).setInfo)},
		{typ: "GetEntityBounds", features: []uint16{msg.FeatureEntityBounds}, handler: inStep((*server).getBounds)},

		{typ: "GetNamedPoses", features: []uint16{msg.FeatureNamedPoses}, handler: direct((*server).getPoses)},
		{typ: "GetNamedPoseBounds", features: []uint16{msg.FeaturePoseBounds},
			handler: direct((*server).getPoseBounds)},

		{typ: "GetSpawnables", features: []uint16{msg.FeatureSpawnables}, handler: inStep((*server).getSpawnables),
			response1: spawnables1},
		{typ: "SpawnEntity", features: []uint16{msg.FeatureSpawning}, handler: inStep((*server).spawn)},
		{typ: "SpawnEntities", features: []uint16{msg.FeatureSpawningEntities},
			handler: inStep((*server).spawnAll)},
		{typ: "DeleteEntity", features: []uint16{msg.FeatureDeleting}, handler: inStep((*server).deleteEntity)},

		{typ: "GetCurrentWorld", features: []uint16{msg.FeatureWorldInfoGetting},
			handler: direct((*server).getWorld)},
		{typ: "LoadWorld", handler: unsupported[msg.LoadWorldRequest, msg.WorldResponse]()},
		{typ: "UnloadWorld", handler: unsupported[msg.EmptyRequest, msg.ResultResponse]()},
		{typ: "GetAvailableWorlds",
			handler: unsupported[msg.GetAvailableWorldsRequest, msg.GetAvailableWorldsResponse]()},
	}
}

// Serve offers all services and the action of simulation_interfaces 2.1 for a running simulation. namespace comes
// before their names: with "/", they are /get_entities and so on, as in Isaac Sim and O3DE; with "/gzserver", they are
// those of Gazebo. The caller closes the services before the node.
func Serve(n *ros2.Node, sim *omnipitch.Sim, namespace string) (io.Closer, error) {
	s := &server{sim: sim, infos: map[string]msg.EntityInfo{}}
	services, err := s.serve(n, namespace)
	if err != nil {
		return nil, err
	}
	action, err := s.serveSteps(n, namespace)
	if err != nil {
		return nil, errors.Join(err, services.Close())
	}
	return closers{services, action}, nil
}

// serve offers all services of the table.
func (s *server) serve(n wire.Node, namespace string) (closers, error) {
	opened := closers{}
	for _, row := range table() {
		def, err := n.ServiceType("simulation_interfaces/" + row.typ)
		var c io.Closer
		if err == nil {
			c, err = row.handler(s, n, ServiceName(namespace, row.typ), def, &row)
		}
		if err != nil {
			return nil, errors.Join(err, opened.Close())
		}
		opened = append(opened, c)
	}
	return opened, nil
}

// closers closes several things.
type closers []io.Closer

func (all closers) Close() (err error) {
	for _, c := range all {
		err = errors.Join(err, c.Close())
	}
	return err
}

// ServiceName returns the name of the service of a type, such as /get_entities of GetEntities in namespace /.
func ServiceName(namespace, typ string) string {
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(namespace, "/"))
	for i, r := range typ {
		if i == 0 {
			b.WriteByte('/')
		} else if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// direct returns the handler that calls f in a goroutine of the request. The error of f becomes the result.
func direct[Req, Resp any](f func(*server, context.Context, *Req, *Resp) error) handler {
	return func(s *server, n wire.Node, name string, def *msg.ServiceDefinition, row *service) (io.Closer, error) {
		requests, err := msg.Compile[Req](def.Request)
		if err != nil {
			return nil, err
		}
		responses, err := msg.Compile[Resp](def.Response)
		if err != nil {
			return nil, err
		}
		var response1 func([]byte, any) []byte
		if row.response1 != nil {
			if response1, err = row.response1(def); err != nil {
				return nil, err
			}
		}
		return n.Serve(name, def, func(ctx context.Context, b, out []byte) ([]byte, error) {
			request, response := new(Req), new(Resp)
			err := requests.Decode(b, request)
			if err != nil && row.added != nil {
				*request = *new(Req)
				err = requests.Decode(append(b[:len(b):len(b)], row.added...), request)
			}
			if err == nil {
				err = f(s, ctx, request, response)
			}
			setResult(response, err)
			if response1 != nil && ros2.ClientHash(ctx) != def.Response.Hash {
				return response1(out, response), nil
			}
			return responses.Append(out, response), nil
		})
	}
}

// inStep returns the handler that calls f in the goroutine that steps.
func inStep[Req, Resp any](f func(*server, *Req, *Resp) error) handler {
	return direct(func(s *server, ctx context.Context, request *Req, response *Resp) error {
		type outcome struct {
			response Resp // not that of the caller, which may have given up
			err      error
		}
		o, err := between(s, ctx, func() (o outcome) {
			o.err = f(s, request, &o.response)
			return o
		})
		if err == nil {
			*response, err = o.response, o.err
		}
		return err
	})
}

// unsupported returns the handler of a service that a running world cannot offer.
func unsupported[Req, Resp any]() handler {
	return direct(func(*server, context.Context, *Req, *Resp) error {
		return failf(msg.ResultFeatureUnsupported, "a run has the same world from its start to its end")
	})
}

// callTime is the longest wall time that a request waits for the goroutine that steps. 10 s is a guess: the slowest
// steps take a second.
const callTime = 10 * time.Second

// between calls f in the goroutine that steps, and returns what f returns.
func between[T any](s *server, ctx context.Context, f func() T) (result T, err error) {
	done := make(chan T, 1)
	stop := s.sim.Clock().After(0, func(time.Duration) { done <- f() })
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	select {
	case result = <-done:
		return result, nil
	case <-ctx.Done():
		return result, failf(msg.ResultIncorrectState, "the simulation has taken no step within %v", callTime)
	}
}

// failure is an error with its code of a msg.Result.
type failure struct {
	code uint8
	text string
}

func (f *failure) Error() string { return f.text }

func failf(code uint8, format string, args ...any) error {
	return &failure{code, fmt.Sprintf(format, args...)}
}

// setResult sets the field Result of a response, if it has one. Without an error it leaves the message.
func setResult(response any, err error) {
	field := reflect.ValueOf(response).Elem().FieldByName("Result")
	if !field.IsValid() {
		return
	}
	r := field.Addr().Interface().(*msg.Result)
	var f *failure
	switch {
	case err == nil:
		r.Result = msg.ResultOK
		return
	case errors.As(err, &f):
		r.Result = f.code
	case errors.Is(err, omnipitch.ErrReplaying), errors.Is(err, omnipitch.ErrClosed):
		r.Result = msg.ResultIncorrectState
	default:
		r.Result = msg.ResultOperationFailed
	}
	r.ErrorMessage = err.Error()
}

func (s *server) getFeatures(_ context.Context, _ *msg.EmptyRequest, resp *msg.GetSimulatorFeaturesResponse) error {
	for _, row := range table() {
		resp.Features.Features = append(resp.Features.Features, row.features...)
	}
	resp.Features.Features = append(resp.Features.Features, msg.FeatureStepAction)
	resp.Features.CustomInfo = "Omnipitch; a spawnable is a robot or obstacle of the world that is absent"
	return nil
}
