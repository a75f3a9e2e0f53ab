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
}

// Type returns the type of the field in the form of .msg text, always with its package: float64[9], std_msgs/Header.
func (f Field) Type() string {
	switch f.Len {
	case NoArray:
		return f.Base
	case Variable:
		return f.Base + "[]"
	}
	return f.Base + "[" + strconv.Itoa(f.Len) + "]"
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

// parseType splits a field's type into its base type and its length as an array. It adds the package to the base type:
// Header becomes std_msgs/Header, and other names without a package are in pkg.
func parseType(s, pkg string) (base string, n int, err error) {
	base, n = s, NoArray
	if i := strings.IndexByte(s, '['); i >= 0 {
		base = s[:i]
		dim, ok := strings.CutSuffix(s[i+1:], "]")
		switch {
		case !ok:
			return "", 0, fmt.Errorf("type = %q: an array ends in ]", s)
		case dim == "":
			n = Variable
		default:
			n, err = strconv.Atoi(dim)
			if err != nil || n < 0 || n > maxArray {
				return "", 0, fmt.Errorf("type = %q: an array length must lie in [0, %d]", s, maxArray)
			}
		}
	}
	switch {
	case builtin(base):
	case base == "Header":
		base = "std_msgs/Header"
	case !strings.Contains(base, "/"):
		base = pkg + "/" + base
	}
	if !builtin(base) && !validTypeName(base) {
		return "", 0, fmt.Errorf("type = %q: must be a built-in or package/Type", s)
	}
	return base, n, nil
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
