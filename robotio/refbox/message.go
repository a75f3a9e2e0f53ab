package refbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"
)

// Message is a message from a box.
type Message struct {
	Command    Command `json:"command"`
	TargetTeam string  `json:"targetTeam"`        // the box's name for the team; empty: both teams
	RobotID    *int    `json:"robotID,omitempty"` // the number of a robot of the team
}

// Append appends the encoded message with its NUL byte.
func (m Message) Append(b []byte) []byte {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // cannot happen: strings and a number
	}
	return append(append(b, text...), 0)
}

// ParseMessage parses a message without its NUL byte. It also returns the names of unknown fields, sorted. It fails if
// the text is no JSON object in UTF-8, or if a field is missing or has the wrong type.
func ParseMessage(text []byte) (m Message, unknown []string, err error) {
	fields, err := parseObject(text)
	if err != nil {
		return m, nil, err
	}
	err = errors.Join(parseField(fields, "command", &m.Command, "must be a text"), parseField(fields, "targetTeam",
		&m.TargetTeam,
		"must be a text"))
	if _, ok := fields["robotID"]; ok {
		err = errors.Join(err, parseField(fields, "robotID", &m.RobotID, "must be a whole number"))
	}
	if err != nil {
		return Message{}, nil, err
	}
	return m, slices.Sorted(maps.Keys(fields)), nil
}

func parseObject(text []byte) (fields map[string]json.RawMessage, err error) {
	if !utf8.Valid(text) {
		return nil, errors.New("must be UTF-8")
	}
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		return nil, errors.New("must be a JSON object")
	}
	return fields, nil
}

// parseField parses a field, which must exist and not be null, and removes it from fields.
func parseField(fields map[string]json.RawMessage, name string, value any, rule string) error {
	text, ok := fields[name]
	if !ok {
		return fmt.Errorf("%s is missing", name)
	}
	delete(fields, name)
	if string(text) == "null" || json.Unmarshal(text, value) != nil {
		return fmt.Errorf("%s = %.40s: %s", name, text, rule)
	}
	return nil
}
