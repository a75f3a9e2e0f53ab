package msg

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Values of Field.Len for a field that is not an array, and for an array of variable length.
const (
	NoArray  = -1
	Variable = -2
)

// maxArray is the maximum length of a fixed array in a definition. It is a guess with a wide margin, far above real
// messages.
const maxArray = 1 << 20

// Field is one field of a message.
type Field struct {
	Name string
	Base string // a built-in type such as float32, or package/Type
	Len  int    // NoArray, Variable, or the length of a fixed array

	// Most is the maximum length of a Variable array, and MostText the maximum length of a string in bytes. They are 0
	// if there is none, as always in ROS 1.
	Most, MostText int
}

// Type returns the type of the field in the form of .msg text, always with its package: float64[9], std_msgs/Header.
func (f Field) Type() string {
	base := f.Base
	if f.MostText > 0 {
		base += "<=" + strconv.Itoa(f.MostText)
	}
	switch {
	case f.Len == NoArray:
		return base
	case f.Most > 0:
		return base + "[<=" + strconv.Itoa(f.Most) + "]"
	case f.Len == Variable:
		return base + "[]"
	}
	return base + "[" + strconv.Itoa(f.Len) + "]"
}

// Builtin reports whether the field's base type is one of ROS's primitive types.
func (f Field) Builtin() bool { return builtin(f.Base) }

// builtins holds ROS's primitive types. Each has its size on the wire in bytes and its Go type. For a string, the size
// is the minimum size.
var builtins = map[string]struct {
	size int
	typ  reflect.Type
}{
	"bool": {1, reflect.TypeFor[bool]()}, "string": {4, reflect.TypeFor[string]()},
	"int8": {1, reflect.TypeFor[int8]()}, "byte": {1, reflect.TypeFor[int8]()},
	"uint8": {1, reflect.TypeFor[uint8]()}, "char": {1, reflect.TypeFor[uint8]()},
	"int16": {2, reflect.TypeFor[int16]()}, "uint16": {2, reflect.TypeFor[uint16]()},
	"int32": {4, reflect.TypeFor[int32]()}, "uint32": {4, reflect.TypeFor[uint32]()},
	"int64": {8, reflect.TypeFor[int64]()}, "uint64": {8, reflect.TypeFor[uint64]()},
	"float32": {4, reflect.TypeFor[float32]()}, "float64": {8, reflect.TypeFor[float64]()},
	"time": {8, reflect.TypeFor[Time]()}, "duration": {8, reflect.TypeFor[Duration]()},
}

// Size returns the size of a built-in type on the wire in bytes. For a string, it returns the minimum size.
func Size(builtin string) int { return builtins[builtin].size }

func builtin(t string) bool { return builtins[t].size > 0 }

// Constant is a constant of a message. Text is its value as in the definition.
type Constant struct{ Type, Name, Text string }

// grammar is the language of a definition.
type grammar uint8

const (
	ros1 grammar = iota
	ros2
)

// parseType parses the type of a field. It adds the package to the base type: names without a package are in pkg, and
// in ROS 1 Header is std_msgs/Header. The field has no name yet.
func (g grammar) parseType(s, pkg string) (f Field, err error) {
	f = Field{Base: s, Len: NoArray}
	if i := strings.IndexByte(s, '['); i >= 0 {
		f.Base = s[:i]
		dim, ok := strings.CutSuffix(s[i+1:], "]")
		most, bounded := strings.CutPrefix(dim, "<=")
		switch {
		case !ok:
			return f, fmt.Errorf("type = %q: an array ends in ]", s)
		case dim == "":
			f.Len = Variable
		case bounded && g == ros2:
			f.Len = Variable
			f.Most, err = parseLength(s, most, 1)
		default:
			f.Len, err = parseLength(s, dim, int(g)) // ROS 2 has no arrays of length 0
		}
	}
	if most, ok := strings.CutPrefix(f.Base, "string<="); ok && g == ros2 && err == nil {
		f.Base = "string"
		f.MostText, err = parseLength(s, most, 1)
	}
	if err != nil {
		return f, err
	}
	switch timed := f.Base == "time" || f.Base == "duration"; {
	case g == ros2 && strings.HasPrefix(f.Base, "wstring"):
		return f, fmt.Errorf("type = %q: has no encoding that all implementations of DDS share: use string", s)
	case g == ros2 && timed:
		return f, fmt.Errorf("type = %q: is of ROS 1: use builtin_interfaces/Time or builtin_interfaces/Duration", s)
	case builtin(f.Base):
		return f, nil
	case f.Base == "Header" && g == ros1:
		f.Base = "std_msgs/Header"
	case g == ros2:
		f.Base = shortName(f.Base)
	}
	if !strings.Contains(f.Base, "/") {
		f.Base = pkg + "/" + f.Base
	}
	if !validTypeName(f.Base) {
		return f, fmt.Errorf("type = %q: must be a built-in or package/Type", s)
	}
	return f, nil
}

// shortName returns package/Type of package/msg/Type, which is the TypeName of a definition of ROS 2. It returns other
// names unchanged.
func shortName(name string) string {
	if i, j := strings.IndexByte(name, '/'), strings.LastIndexByte(name, '/'); i < j {
		return name[:i] + name[j:]
	}
	return name
}

// parseLength parses the length or the maximum length in the type s.
func parseLength(s, dim string, least int) (int, error) {
	n, err := strconv.Atoi(dim)
	if err != nil || n < least || n > maxArray {
		return 0, fmt.Errorf("type = %q: an array length must lie in [%d, %d]", s, least, maxArray)
	}
	return n, nil
}

func validTypeName(s string) bool {
	pkg, name, ok := strings.Cut(s, "/")
	return ok && validIdent(pkg) && validIdent(name)
}

// validIdent reports whether s is a letter followed by letters, digits and underscores.
func validIdent(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '_' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}
