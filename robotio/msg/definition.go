package msg

import (
	"crypto/md5"
	"encoding/hex"
	"strings"
)

// Definition is a message definition with the definitions of all nested types.
type Definition struct {
	Name string // package/Type

	// TypeName is the name in ROS 2, such as package/msg/Type or package/srv/Type_Request. It is empty in ROS 1.
	TypeName  string
	Constants []Constant
	Fields    []Field
	MD5       string // 32 hexadecimal digits, computed as in genmsg; only in ROS 1

	// Hash identifies the definition in ROS 2: RIHS01_ and 64 hexadecimal digits. It is empty for a nested message.
	Hash string
	// Text is the definition and then the definitions of its dependencies, as gendeps --cat prints them. It is empty
	// for a nested message.
	Text string

	// Leaves is the number of primitive fields, including the fields of nested messages. MinSize is the minimum size on
	// the wire in bytes. Nested definitions can multiply to huge numbers, so Leaves and MinSize are limited to Endless.
	Leaves, MinSize int

	source string                 // the text without dependencies
	nested map[string]*Definition // by package/Type
	deps   []string               // all dependencies, depth first, without repetition
}

// ROS2 reports whether the definition is of ROS 2. Its messages are then encoded in CDR.
func (m *Definition) ROS2() bool { return m.TypeName != "" }

// Stamp returns the built-in type of ROS 1 that has become the message m in ROS 2: "time" for builtin_interfaces/Time,
// "duration" for builtin_interfaces/Duration, else "". Such fields are a Time or a Duration here, too. Time is
// unsigned: times before 0 are at least 2^31 s.
func (m *Definition) Stamp() string {
	word := Field{Name: "sec", Base: "int32", Len: NoArray}
	nano := Field{Name: "nanosec", Base: "uint32", Len: NoArray}
	if len(m.Fields) != 2 || m.Fields[0] != word || m.Fields[1] != nano {
		return ""
	}
	switch m.TypeName {
	case "builtin_interfaces/msg/Time":
		return "time"
	case "builtin_interfaces/msg/Duration":
		return "duration"
	}
	return ""
}

// Endless is the upper limit of Leaves and MinSize.
const Endless = 1 << 30

// measure sets Leaves and MinSize. The nested messages must have been measured before.
func (m *Definition) measure() {
	for _, f := range m.Fields {
		one, leaves := Size(f.Base), 1
		if n := m.nested[f.Base]; n != nil {
			one, leaves = n.MinSize, 1+n.Leaves
		}
		m.Leaves = min(m.Leaves+leaves, Endless)
		m.MinSize = min(m.MinSize+f.least(one), Endless)
	}
}

// least returns the minimum size of a field on the wire. size is the minimum size of an element.
func (f Field) least(size int) int {
	switch f.Len {
	case NoArray:
		return size
	case Variable:
		return 4
	}
	return f.Len * size // does not overflow, because Len is at most maxArray and size is at most Endless
}

// Nested returns the definition of the type base of a nested field. It returns nil for a built-in type.
func (m *Definition) Nested(base string) *Definition { return m.nested[base] }

// HasHeader reports whether the first field is a std_msgs/Header named header. Publishers set its sequence number.
func (m *Definition) HasHeader() bool {
	return len(m.Fields) > 0 && m.Fields[0] == Field{Name: "header", Base: "std_msgs/Header", Len: NoArray}
}

// md5Text returns the text whose MD5 sum identifies the definition. The text begins with the constants. Nested types
// are replaced by their MD5 sums. Comments and extra spaces are removed. Source: genmsg 0.5, gentools.compute_md5_text.
func (m *Definition) md5Text() string {
	var b strings.Builder
	for _, c := range m.Constants {
		b.WriteString(c.Type + " " + c.Name + "=" + c.Text + "\n")
	}
	for _, f := range m.Fields {
		if n := m.nested[f.Base]; n != nil {
			b.WriteString(n.MD5 + " " + f.Name + "\n")
		} else {
			b.WriteString(f.Type() + " " + f.Name + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

func sum(texts ...string) string {
	h := md5.New()
	for _, t := range texts {
		h.Write([]byte(t))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// separator is the line before each dependency in the full text of a definition.
var separator = strings.Repeat("=", 80) + "\n"

// fullText returns a text with a definition and all its dependencies. Source: genmsg 0.5, gentools.compute_full_text.
func fullText(m *Definition, known map[string]*Definition) string {
	var b strings.Builder
	b.WriteString(m.source)
	b.WriteByte('\n')
	for _, name := range m.deps {
		d := known[name]
		if d.ROS2() && !strings.Contains(d.TypeName, "/msg/") { // a part of an action
			name = d.TypeName
		}
		b.WriteString(separator + "MSG: " + name + "\n" + d.source + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// ServiceDefinition is a service definition with the definitions of all nested types.
type ServiceDefinition struct {
	Name              string // package/Type
	Request, Response *Definition
	MD5               string // MD5 sum of request and response together; only in ROS 1
	Hash              string // of the service in ROS 2, see Definition.Hash

	whole *Definition // of ROS 2, see describe
}
