package msg

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Names that ROS 2 allows. Source: rosidl_adapter.parser.
var (
	ros2Field    = regexp.MustCompile(`^[a-z](_?[a-z0-9]+)*$`)
	ros2Type     = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	ros2Constant = regexp.MustCompile(`^[A-Z](_?[A-Z0-9]+)*$`)
)

// FromROS1 returns the ROS 2 definition for a message of ROS 1. l must be a library of ROS 2. A type that l lacks gets
// the text of ROS 1, with time, duration and Header replaced by types of ROS 2. Constants that ROS 2 does not allow are
// left out. FromROS1 returns an error if the names of such a type or of its fields are not valid in ROS 2.
func (l *Library) FromROS1(def *Definition) (*Definition, error) {
	x := &Library{grammar: ros2}
	x.Merge(l)
	if err := x.translate(def); err != nil {
		return nil, err
	}
	return x.Message(def.Name)
}

// translate adds a message of ROS 1 and its nested messages to a library of ROS 2, if the library lacks them.
func (l *Library) translate(m *Definition) error {
	if _, ok := l.msgs[m.Name]; ok {
		return nil
	}
	if pkg := path.Dir(m.Name); !ros2Field.MatchString(pkg) {
		return fmt.Errorf("%s: package = %q: must be lower-case letters, digits and single underscores in ROS 2", m.Name,
			pkg)
	}
	if typ := path.Base(m.Name); !ros2Type.MatchString(typ) {
		return fmt.Errorf("%s: type = %q: must be letters and digits, a capital letter first, in ROS 2", m.Name, typ)
	}
	for _, f := range m.Fields {
		if !ros2Field.MatchString(f.Name) {
			return fmt.Errorf("%s: field = %q: must be lower-case letters, digits and single underscores in ROS 2",
				m.Name, f.Name)
		}
	}
	if err := l.AddMessage(m.Name, ros2Text(m)); err != nil {
		return err
	}
	for _, f := range m.Fields {
		if nested := m.nested[f.Base]; nested != nil {
			if err := l.translate(nested); err != nil {
				return err
			}
		}
	}
	return nil
}

// common has the packages and types of the dialect std that ROS 2 has with the same fields, or that only the simulator
// has.
var common = []string{"omnipitch_msgs/", "foxglove_msgs/", "visualization_msgs/ImageMarker"}

// isCommon reports whether common has a type.
func isCommon(name string) bool {
	return slices.ContainsFunc(common, func(start string) bool { return strings.HasPrefix(name, start) })
}

// commonTypes returns the types of common, with their definitions of ROS 1.
var commonTypes = sync.OnceValues(func() (*Library, error) {
	ros1, err := Load("std")
	if err != nil {
		return nil, err
	}
	l := &Library{grammar: ros2}
	if err := l.addFolders([]string{"ros2"}); err != nil {
		return nil, err
	}
	shared := maps.Clone(l.msgs)
	for _, name := range ros1.Messages() {
		if !isCommon(name) {
			continue
		}
		def, err := ros1.Message(name)
		if err == nil {
			err = l.translate(def)
		}
		if err != nil {
			return nil, err
		}
	}
	x := &Library{grammar: ros2, msgs: map[string]string{}}
	for name, text := range l.msgs {
		if _, ok := shared[name]; !ok {
			x.msgs[name] = text
		}
	}
	for _, name := range ros1.Services() {
		if !isCommon(name) {
			continue
		}
		def, err := ros1.Service(name)
		if err == nil {
			err = x.AddService(name, ros2Text(def.Request)+"---\n"+ros2Text(def.Response))
		}
		if err != nil {
			return nil, err
		}
	}
	return x, nil
})

// ros2Text returns the text of a definition of ROS 1 in the language of ROS 2, with its comments.
func ros2Text(m *Definition) string {
	var b strings.Builder
	rest := m.Fields
	for line := range strings.SplitSeq(strings.TrimSuffix(m.source, "\n"), "\n") {
		clean := stripComment(line)
		typ, name := cutWord(clean)
		if name, value, constant := strings.Cut(name, "="); constant {
			c := Constant{Type: typ, Name: strings.TrimSpace(name), Text: strings.TrimSpace(value)}
			if !ros2Constant.MatchString(c.Name) || ros2.checkConstant(c) != nil {
				continue
			}
		} else if clean != "" {
			f := rest[0]
			rest = rest[1:]
			switch f.Base {
			case "time":
				f.Base = "builtin_interfaces/Time"
			case "duration":
				f.Base = "builtin_interfaces/Duration"
			}
			line = strings.Replace(line, typ, f.Type(), 1)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
