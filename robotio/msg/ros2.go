package msg

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Placeholder is the name of the field of messages of ROS 2 that have no other fields.
const Placeholder = "structure_needs_at_least_one_member"

var placeholder = Field{Name: Placeholder, Base: "uint8", Len: NoArray}

// ROS2Action has the definitions of an action of ROS 2.
type ROS2Action struct {
	Name                   string // package/Type
	Goal, Result, Feedback *Definition
	SendGoal, GetResult    *ServiceDefinition // services of an action server
	FeedbackMessage        *Definition        // message on the topic of feedback
	ResultOnly             *Definition        // the response of GetResult without the status; encoded like Result
	Hash                   string
}

// AddAction adds the definition of an action to the library, or replaces it. name has the form package/Type, and text
// is the text of an .action file: goal, result and feedback. In a library of ROS 1, an action is the seven messages
// that ROS's genaction makes of it.
func (l *Library) AddAction(name, text string) error {
	parts, err := l.splitAction(name, text)
	if err != nil {
		return err
	}
	if l.grammar != ros2 {
		return l.addActionMessages(name, parts)
	}
	if !validTypeName(name) {
		return fmt.Errorf("action %q: a name must be package/Type", name)
	}
	if l.actions == nil {
		l.actions = map[string]string{}
	}
	l.actions[name] = text
	return nil
}

func (l *Library) splitAction(name, text string) ([]string, error) {
	return l.split(name, text, ".action", "an action has two --- lines: after the goal and after the result", 3)
}

// ROS2Action returns the definition of an action type of ROS 2, given by its name package/Type. It fails in the same
// cases as Message. Source of the derived types: rosidl_parser, definition.Action.
func (l *Library) ROS2Action(name string) (*ROS2Action, error) {
	text, ok := l.actions[name]
	if !ok {
		return nil, fmt.Errorf("action %s: %w", name, ErrUnknown)
	}
	parts, err := l.splitAction(name, text)
	if err != nil {
		return nil, err
	}
	a, known := &ROS2Action{Name: name}, map[string]*Definition{}
	typ, where := path.Base(name), name+".action"
	message := func(suffix, text string) *Definition {
		if err != nil {
			return nil
		}
		var m *Definition
		if m, err = l.resolve(name+suffix, where, text, nil, known); err == nil {
			m.complete(known)
		}
		return m
	}
	service := func(suffix, request, response string) *ServiceDefinition {
		if err != nil {
			return nil
		}
		var s *ServiceDefinition
		s, err = l.service(name+suffix, ".action", request, response, known)
		return s
	}
	const goalID = "unique_identifier_msgs/UUID goal_id\n"
	a.Goal, a.Result = message("_Goal", parts[0]), message("_Result", parts[1])
	a.Feedback = message("_Feedback", parts[2])
	a.SendGoal = service("_SendGoal", goalID+typ+"_Goal goal\n", "bool accepted\nbuiltin_interfaces/Time stamp\n")
	a.GetResult = service("_GetResult", goalID, "int8 status\n"+typ+"_Result result\n")
	a.ResultOnly = message("_ResultOnly", typ+"_Result result\n")
	a.FeedbackMessage = message("_FeedbackMessage", goalID+typ+"_Feedback feedback\n")
	if err != nil {
		return nil, err
	}
	known[name+"_SendGoal"], known[name+"_GetResult"] = a.SendGoal.whole, a.GetResult.whole
	text = strings.ReplaceAll("T_Goal goal\nT_Result result\nT_Feedback feedback\nT_SendGoal send_goal_service\n"+
		"T_GetResult get_result_service\nT_FeedbackMessage feedback_message", "T_", typ+"_")
	whole, err := l.resolve(name, where, text, nil, known)
	if err == nil {
		a.Hash = whole.hash()
	}
	return a, err
}

// describe sets the hash of a service of ROS 2. Its description has the request, the response, and an event, which
// contains both. Source: rosidl_generator_type_description, add_srv; REP 2016.
func (l *Library) describe(s *ServiceDefinition, ext string, known map[string]*Definition) error {
	typ := path.Base(s.Name)
	event := fmt.Sprintf("service_msgs/ServiceEventInfo info\n%s_Request[<=1] request\n"+
		"%[1]s_Response[<=1] response", typ)
	if _, err := l.resolve(s.Name+"_Event", s.Name+ext, event, nil, known); err != nil {
		return err
	}
	delete(known, s.Name) // a message may have the name of a service
	text := fmt.Sprintf("%s_Request request_message\n%[1]s_Response response_message\n"+
		"%[1]s_Event event_message", typ)
	whole, err := l.resolve(s.Name, s.Name+ext, text, nil, known)
	if err == nil {
		s.whole, s.Hash = whole, whole.hash()
	}
	return err
}

// hash returns the hash of a definition of ROS 2, which is the SHA-256 sum of its description in JSON. Source: REP
// 2016; rosidl_generator_type_description, calculate_type_hash.
func (m *Definition) hash() string {
	all := map[string]*Definition{}
	m.collect(all)
	var b strings.Builder
	b.WriteString(`{"type_description": `)
	m.writeDescription(&b)
	b.WriteString(`, "referenced_type_descriptions": [`)
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i > 0 {
			b.WriteString(", ")
		}
		all[name].writeDescription(&b)
	}
	b.WriteString("]}")
	sum := sha256.Sum256([]byte(b.String()))
	return "RIHS01_" + hex.EncodeToString(sum[:])
}

// collect adds all nested definitions of m to the map all, by their TypeName.
func (m *Definition) collect(all map[string]*Definition) {
	for _, n := range m.nested {
		if all[n.TypeName] == nil {
			all[n.TypeName] = n
			n.collect(all)
		}
	}
}

// typeIDs maps built-in types to their numbers. Source: type_description_interfaces/FieldType.
var typeIDs = map[string]int{
	"int8": 2, "uint8": 3, "char": 3, "int16": 4, "uint16": 5, "int32": 6, "uint32": 7, "int64": 8, "uint64": 9,
	"float32": 10, "float64": 11, "bool": 15, "byte": 16, "string": 17,
}

func (m *Definition) writeDescription(b *strings.Builder) {
	fmt.Fprintf(b, `{"type_name": "%s", "fields": [`, m.TypeName)
	for i, f := range m.Fields {
		id, capacity, nested := typeIDs[f.Base], 0, ""
		if n := m.nested[f.Base]; n != nil {
			id, nested = 1, n.TypeName
		}
		if f.MostText > 0 {
			id = 21
		}
		switch {
		case f.Len >= 0:
			id, capacity = id+48, f.Len
		case f.Most > 0:
			id, capacity = id+96, f.Most
		case f.Len == Variable:
			id += 144
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, `{"name": "%s", "type": {"type_id": %d, "capacity": %d, "string_capacity": %d, `+
			`"nested_type_name": "%s"}}`, f.Name, id, capacity, f.MostText, nested)
	}
	b.WriteString("]}")
}
