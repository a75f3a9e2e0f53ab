package ros2

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// The messages and services of rcl_interfaces. Requests name parameters, and answers have an element for each name.

type parameterValue struct {
	Type              uint8
	BoolValue         bool
	IntegerValue      int64
	DoubleValue       float64
	StringValue       string
	ByteArrayValue    []byte
	BoolArrayValue    []bool
	IntegerArrayValue []int64
	DoubleArrayValue  []float64
	StringArrayValue  []string
}

type parameter struct {
	Name  string
	Value parameterValue
}

type parameterEvent struct {
	Stamp                                               msg.Time
	Node                                                string
	NewParameters, ChangedParameters, DeletedParameters []parameter
}

type parameterNames struct{ Names []string }

type parameterValues struct{ Values []parameterValue }

type parameterTypes struct{ Types []byte }

type parameterDescriptors struct{ Descriptors []parameterDescriptor }

type parameterDescriptor struct {
	Name                               string
	Type                               uint8
	Description, AdditionalConstraints string
	ReadOnly, DynamicTyping            bool
	FloatingPointRange                 []struct{ FromValue, ToValue, Step float64 }
	IntegerRange                       []struct {
		FromValue, ToValue int64
		Step               uint64
	}
}

type listParametersRequest struct {
	Prefixes []string
	Depth    uint64
}

type listParametersResponse struct {
	Result struct{ Names, Prefixes []string }
}

type setParametersRequest struct{ Parameters []parameter }

type setParametersResult struct {
	Successful bool
	Reason     string
}

type setParametersResponse struct{ Results []setParametersResult }

type setParametersAtomicallyResponse struct{ Result setParametersResult }

// paramTypes are the names of the types, by their numbers in rcl_interfaces/ParameterType.
var paramTypes = []string{"not set", "a bool", "an integer", "a double", "a string", "a byte array", "a bool array",
	"an integer array", "a double array", "a string array"}

const (
	paramNotSet  = 0
	paramInteger = 2
	paramDouble  = 3
)

// paramValue converts a value to a message.
func paramValue(value any) (v parameterValue, err error) {
	switch x := value.(type) {
	case bool:
		v = parameterValue{Type: 1, BoolValue: x}
	case int64:
		v = parameterValue{Type: paramInteger, IntegerValue: x}
	case float64:
		v = parameterValue{Type: paramDouble, DoubleValue: x}
	case string:
		v = parameterValue{Type: 4, StringValue: x}
	case []byte:
		v = parameterValue{Type: 5, ByteArrayValue: x}
	case []bool:
		v = parameterValue{Type: 6, BoolArrayValue: x}
	case []int64:
		v = parameterValue{Type: 7, IntegerArrayValue: x}
	case []float64:
		v = parameterValue{Type: 8, DoubleArrayValue: x}
	case []string:
		v = parameterValue{Type: 9, StringArrayValue: x}
	default:
		err = fmt.Errorf("is a %T: must be a bool, int64, float64, string or an array of these or of bytes", value)
	}
	return v, err
}

// value converts a message to a value; nil if it has no valid type.
func (v *parameterValue) value() any {
	all := []any{nil, v.BoolValue, v.IntegerValue, v.DoubleValue, v.StringValue, v.ByteArrayValue, v.BoolArrayValue,
		v.IntegerArrayValue, v.DoubleArrayValue, v.StringArrayValue}
	if int(v.Type) >= len(all) {
		return nil
	}
	return all[v.Type]
}

// size returns the number of bytes or elements of the arrays in a value.
func (v *parameterValue) size() int {
	n := len(v.StringValue) + len(v.ByteArrayValue) + len(v.BoolArrayValue) + 8*len(v.IntegerArrayValue) +
		8*len(v.DoubleArrayValue)
	for _, s := range v.StringArrayValue {
		n += 8 + len(s)
	}
	return n
}

// Bounds of what others can make a node keep or answer; guesses.
const (
	maxParamNames = 1000     // of a request
	maxParamSize  = 64 << 10 // bytes of a value that others set
	maxParamReply = 4 << 20  // bytes of values in an answer
)

var errParamNames = fmt.Errorf("request: must have at most %d parameters", maxParamNames)

// each calls f for each named parameter, with nil for one that the node lacks.
func (s *parameters) each(r *parameterNames, f func(name string, p *Param)) error {
	if len(r.Names) > maxParamNames {
		return errParamNames
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range r.Names {
		f(name, s.all[name])
	}
	return nil
}

// get answers with the values; a parameter that the node lacks is not set.
func (s *parameters) get(r *parameterNames) (*parameterValues, error) {
	all, size := &parameterValues{}, 0
	err := s.each(r, func(_ string, p *Param) {
		v := parameterValue{}
		if p != nil && size < maxParamReply {
			v, _ = paramValue(p.value)
		}
		size += v.size()
		all.Values = append(all.Values, v)
	})
	if size >= maxParamReply {
		return nil, fmt.Errorf("request: its values have more than %d MiB", maxParamReply>>20)
	}
	return all, err
}

func (s *parameters) types(r *parameterNames) (*parameterTypes, error) {
	all := &parameterTypes{}
	err := s.each(r, func(_ string, p *Param) { all.Types = append(all.Types, p.typ()) })
	return all, err
}

func (s *parameters) describe(r *parameterNames) (*parameterDescriptors, error) {
	all := &parameterDescriptors{}
	err := s.each(r, func(name string, p *Param) {
		d := parameterDescriptor{Name: name, Type: p.typ()}
		if p != nil {
			d.Description, d.ReadOnly = p.opts.Description, p.opts.Set == nil
		}
		all.Descriptors = append(all.Descriptors, d)
	})
	return all, err
}

// typ returns the number of the parameter's type. The caller holds the lock.
func (p *Param) typ() uint8 {
	if p == nil {
		return paramNotSet
	}
	v, _ := paramValue(p.value)
	return v.Type
}

// list answers with names that have one of the prefixes, or with all names if there are none. Dots separate the parts
// of a name. A name, or what follows its prefix, has fewer dots than depth; 0 means any number. Source: rclcpp,
// NodeParameters::list_parameters.
func (s *parameters) list(r *listParametersRequest) (*listParametersResponse, error) {
	if len(r.Prefixes) > maxParamNames {
		return nil, errParamNames
	}
	shallow := func(s string) bool { return r.Depth == 0 || uint64(strings.Count(s, ".")) < r.Depth }
	resp := &listParametersResponse{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(s.all)) {
		listed := len(r.Prefixes) == 0 && shallow(name) || slices.ContainsFunc(r.Prefixes, func(prefix string) bool {
			rest, ok := strings.CutPrefix(name, prefix)
			return ok && (rest == "" || rest[0] == '.' && shallow(rest))
		})
		if !listed {
			continue
		}
		resp.Result.Names = append(resp.Result.Names, name)
		if i := strings.LastIndexByte(name, '.'); i >= 0 && !slices.Contains(resp.Result.Prefixes, name[:i]) {
			resp.Result.Prefixes = append(resp.Result.Prefixes, name[:i])
		}
	}
	return resp, nil
}

// set sets each parameter on its own.
func (s *parameters) set(r *setParametersRequest) (*setParametersResponse, error) {
	if len(r.Parameters) > maxParamNames {
		return nil, errParamNames
	}
	s.setting.Lock()
	defer s.setting.Unlock()
	resp := &setParametersResponse{}
	for i := range r.Parameters {
		_, err := s.setOne(&r.Parameters[i])
		resp.Results = append(resp.Results, resultOf(err))
	}
	return resp, nil
}

// setAll sets all parameters, or none.
func (s *parameters) setAll(r *setParametersRequest) (*setParametersAtomicallyResponse, error) {
	if len(r.Parameters) > maxParamNames {
		return nil, errParamNames
	}
	s.setting.Lock()
	defer s.setting.Unlock()
	var undo []func() error
	for i := range r.Parameters {
		back, err := s.setOne(&r.Parameters[i])
		if err == nil {
			undo = append(undo, back)
			continue
		}
		for _, back := range slices.Backward(undo) {
			err = errors.Join(err, back())
		}
		return &setParametersAtomicallyResponse{resultOf(err)}, nil
	}
	return &setParametersAtomicallyResponse{resultOf(nil)}, nil
}

func resultOf(err error) setParametersResult {
	if err != nil {
		return setParametersResult{Reason: err.Error()}
	}
	return setParametersResult{Successful: true}
}

// setOne sets a parameter, and returns what sets the old value again. As in YAML, an integer may stand for a double.
func (s *parameters) setOne(m *parameter) (undo func() error, err error) {
	s.mu.Lock()
	p := s.all[m.Name]
	s.mu.Unlock()
	if p == nil {
		return nil, fmt.Errorf("parameter = %.80q: the node has none of that name", m.Name)
	}
	old := p.Value()
	is, _ := paramValue(old)
	v := m.Value
	if is.Type == paramDouble && v.Type == paramInteger {
		v = parameterValue{Type: paramDouble, DoubleValue: float64(v.IntegerValue)}
	}
	value := v.value()
	switch {
	case p.opts.Set == nil:
		err = errors.New("is read-only")
	case v.Type == paramNotSet:
		err = errors.New("cannot be deleted")
	case value == nil || v.Type != is.Type:
		err = fmt.Errorf("must be %s", paramTypes[is.Type])
	case v.size() > maxParamSize:
		err = fmt.Errorf("has %d bytes: must have at most %d", v.size(), maxParamSize)
	default:
		err = p.opts.Set(value)
	}
	if err != nil {
		return nil, fmt.Errorf("parameter %s = %.80s: %w", m.Name, fmt.Sprint(m.Value.value()), err)
	}
	p.store(value, v)
	return func() error {
		if err := p.opts.Set(old); err != nil {
			return fmt.Errorf("parameter %s: its old value cannot be set again: %w", p.name, err)
		}
		p.store(old, is)
		return nil
	}, nil
}
