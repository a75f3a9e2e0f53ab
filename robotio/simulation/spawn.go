package simulation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// The robots and obstacles of a running world are those of its file. Spawning brings one that is absent, and deleting
// makes it absent. So the URI of a spawnable is the name of an absent body, which is also the name of the entity.

func (s *server) getSpawnables(q *msg.GetSpawnablesRequest, resp *msg.GetSpawnablesResponse) error {
	for _, b := range s.bodies() {
		if b.poseWE.Absent() {
			resp.Spawnables = append(resp.Spawnables, msg.Spawnable{EntityResource: msg.Resource{URI: b.name},
				Description: b.info.Description, SpawnBounds: b.bounds()})
		}
	}
	if len(q.Sources) > 0 {
		resp.Result.ErrorMessage = fmt.Sprintf("unknown sources: %.500s", strings.Join(q.Sources, ", "))
	}
	return nil
}

// spawnables1 returns the function that encodes responses of GetSpawnables of version 1.x, in which the resource of a
// spawnable is only a URI.
func spawnables1(def *msg.ServiceDefinition) (func(out []byte, response any) []byte, error) {
	type spawnable struct {
		URI, Description string
		SpawnBounds      msg.Bounds
	}
	type response1 struct {
		Result     msg.Result
		Spawnables []spawnable
	}
	text := strings.Replace(def.Response.Text, "Resource entity_resource", "string uri", 1)
	old, err := msg.ParseFull(def.Response.TypeName, text)
	if err != nil {
		return nil, err
	}
	codec, err := msg.Compile[response1](old)
	return func(out []byte, response any) []byte {
		r := response.(*msg.GetSpawnablesResponse)
		r1 := response1{Result: r.Result}
		for _, s := range r.Spawnables {
			r1.Spawnables = append(r1.Spawnables, spawnable{s.EntityResource.URI, s.Description, s.SpawnBounds})
		}
		return codec.Append(out, &r1)
	}, err
}

var (
	namespaces = regexp.MustCompile(`^/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*$`)
	foreignURI = regexp.MustCompile(`[:/.]`) // a URI that is not just a name
)

func (s *server) spawn(q *msg.SpawnEntityRequest, resp *msg.SpawnResult) error {
	body, err := s.absentBody(q)
	if err != nil {
		return err
	}
	frame, err := s.frame(q.InitialPose.Header.FrameID)
	if err != nil {
		return err
	}
	pose, err := s.poseInW(frame, &q.InitialPose.Pose, msg.SpawnInvalidPose)
	if err == nil {
		err = s.sim.Do(&action.Spawn{Place: placeAt(body, pose, spatial.Twist{})})
	}
	if err == nil {
		resp.EntityName = body
	}
	return err
}

// absentBody returns the name of the absent body that a request wants to spawn.
func (s *server) absentBody(q *msg.SpawnEntityRequest) (string, error) {
	uri, all := q.EntityResource.URI, s.bodies()
	named := func(name string) int { return slices.IndexFunc(all, func(b entity) bool { return b.name == name }) }
	i := named(uri)
	switch {
	case uri == "" && q.EntityResource.ResourceString == "":
		return "", failf(msg.SpawnNoResource, "entity_resource: must have a uri")
	case uri == "":
		return "", failf(msg.ResultFeatureUnsupported, "resource_string: must be empty: the uri names an absent body")
	case i < 0 && foreignURI.MatchString(uri):
		return "", failf(msg.SpawnUnsupported, "uri = %.200q: must be a name of GetSpawnables", uri)
	case i < 0:
		return "", failf(msg.ResultNotFound, "uri = %.200q: the world has no such robot or obstacle", uri)
	case !all[i].poseWE.Absent():
		return "", failf(msg.SpawnNameNotUnique, "uri = %q: is in the world already", uri)
	case q.Name == "" || q.Name == uri || q.AllowRenaming:
	case named(q.Name) >= 0:
		return "", failf(msg.SpawnNameNotUnique, "name = %q: is another entity", q.Name)
	default:
		return "", failf(msg.SpawnNameInvalid, "name = %.200q: must be empty or %q, since names are those of the world",
			q.Name, uri)
	}
	switch space := q.EntityNamespace; {
	case space == "" || strings.Trim(space, "/") == uri:
		return uri, nil
	case !namespaces.MatchString(space):
		return "", failf(msg.SpawnNamespaceInvalid, "entity_namespace = %.200q: must be a namespace of ROS", space)
	default:
		return "", failf(msg.ResultFeatureUnsupported,
			"entity_namespace = %.200q: must be empty, since the world gives robots their namespaces", space)
	}
}

func (s *server) spawnAll(q *msg.SpawnEntitiesRequest, resp *msg.SpawnEntitiesResponse) error {
	failed := 0
	for i := range q.SpawnRequests {
		var r msg.SpawnResult
		err := s.spawn(&q.SpawnRequests[i], &r)
		if setResult(&r, err); err != nil {
			failed++
		}
		resp.Results = append(resp.Results, r)
	}
	if failed > 0 {
		return failf(msg.EntitiesSpawnFailed, "%d of %d requests failed", failed, len(q.SpawnRequests))
	}
	return nil
}

func (s *server) deleteEntity(q *msg.EntityRequest, _ *msg.ResultResponse) error {
	e, err := s.entity(q.Entity)
	if err != nil {
		return err
	}
	if e.round {
		return fmt.Errorf("%q: the ball is always there", e.name)
	}
	delete(s.infos, e.name)
	return s.sim.Do(&action.Delete{Name: e.name})
}
