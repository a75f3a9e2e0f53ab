package refbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"
)

// Message is what a box sends.
type Message struct {
	Command    Command `json:"command"`
	TargetTeam string  `json:"targetTeam"`        // how the box calls the team; empty: both
	RobotID    *int    `json:"robotID,omitempty"` // the number of a robot of the team
}

// Append appends the message as it is sent, with its NUL byte.
func (m Message) Append(b []byte) []byte {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings and a number
	}
	return append(append(b, text...), 0)
}

// ParseMessage reads a message without its NUL byte, and returns the names of its fields that no box has, sorted. It
// fails on what is no JSON object in UTF-8, and on fields that are missing or of another type.
func ParseMessage(text []byte) (m Message, unknown []string, err error) {
	fields, err := parseObject(text)
	if err != nil {
		return m, nil, err
	}
	err = errors.Join(take(fields, "command", &m.Command, "must be a text"), take(fields, "targetTeam", &m.TargetTeam,
		"must be a text"))
	if _, ok := fields["robotID"]; ok {
		err = errors.Join(err, take(fields, "robotID", &m.RobotID, "must be a whole number"))
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

// take reads a field, which must be there and not null, and removes it.
func take(fields map[string]json.RawMessage, name string, value any, rule string) error {
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
