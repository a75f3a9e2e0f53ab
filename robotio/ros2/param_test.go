package ros2

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// paramClient calls the services of parameters of the node /a from another context.
type paramClient struct {
	t   *testing.T
	n   *Node
	ctx context.Context
}

func ask[Req, Resp any](c *paramClient, service, typ string, r *Req) *Resp {
	c.t.Helper()
	return must.Get(Call[Req, Resp](c.ctx, c.n, "/a/"+service, "rcl_interfaces/"+typ, r))(c.t)
}

func (c *paramClient) get(names ...string) (all []any) {
	r := ask[parameterNames, parameterValues](c, "get_parameters", "GetParameters", &parameterNames{names})
	for _, v := range r.Values {
		all = append(all, v.value())
	}
	return all
}

// set sets parameters, given by name and value in turn. It returns the reasons of those that are refused.
func (c *paramClient) set(pairs ...any) (reasons []string) {
	r := ask[setParametersRequest, setParametersResponse](c, "set_parameters", "SetParameters", paramsOf(pairs))
	for _, x := range r.Results {
		reasons = append(reasons, x.Reason)
		must.Equal(c.t, x.Successful, x.Reason == "", "success with reason %q", x.Reason)
	}
	return reasons
}

func (c *paramClient) setAll(pairs ...any) setParametersResult {
	return ask[setParametersRequest, setParametersAtomicallyResponse](c, "set_parameters_atomically",
		"SetParametersAtomically", paramsOf(pairs)).Result
}

func paramsOf(pairs []any) *setParametersRequest {
	r := &setParametersRequest{}
	for i := 0; i < len(pairs); i += 2 {
		v, _ := paramValue(pairs[i+1]) // nil is not set
		r.Parameters = append(r.Parameters, parameter{pairs[i].(string), v})
	}
	return r
}

func newParamClient(t *testing.T) (a *Node, c *paramClient) {
	a, b := pair(t)
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(stop)
	return a, &paramClient{t, b, ctx}
}

// Values of all types are declared, described, read and set over the wire.
func TestParams(t *testing.T) {
	a, c := newParamClient(t)
	var events must.List[parameterEvent]
	must.Get(Subscribe(c.n, "/parameter_events", "rcl_interfaces/ParameterEvent",
		func(m *parameterEvent) { m.Stamp.Sec = min(m.Stamp.Sec, 1); m.Stamp.Nsec = 0; events.Add(*m) }))(t)
	first := []any{true, int64(math.MinInt64), -0.5, "two words", []byte{0, 255}, []bool{true, false},
		[]int64{1, -1}, []float64{math.Inf(1)}, []string{"", "é"}}
	second := []any{false, int64(7), math.MaxFloat64, "", []byte{}, []bool{false}, []int64{3}, []float64{}, []string{"x"}}
	var names []string
	var got must.List[any]
	for i, v := range first {
		names = append(names, fmt.Sprint("p", i))
		set := func(v any) error { got.Add(v); return nil }
		must.Get(a.DeclareParam(names[i], v, ParamOptions{Description: fmt.Sprint("number ", i), Set: set}))(t)
	}
	fixed := must.Get(a.DeclareParam("fixed", 1.5, ParamOptions{}))(t)
	must.Equal(t, c.get(append(names, "absent")...), append(first, nil), "values")
	types := ask[parameterNames, parameterTypes](c, "get_parameter_types", "GetParameterTypes",
		&parameterNames{append(names, "absent")})
	must.Equal(t, types.Types, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 0}, "types")
	d := ask[parameterNames, parameterDescriptors](c, "describe_parameters", "DescribeParameters",
		&parameterNames{[]string{"p3", "fixed", "absent"}})
	must.Equal(t, d.Descriptors[0], parameterDescriptor{Name: "p3", Type: 4, Description: "number 3",
		FloatingPointRange: d.Descriptors[0].FloatingPointRange, IntegerRange: d.Descriptors[0].IntegerRange}, "p3")
	must.Equal(t, d.Descriptors[1].ReadOnly && d.Descriptors[2].Type == 0, true, "fixed is read-only, absent unknown")
	for i, v := range second {
		must.Equal(t, c.set(names[i], v), []string{""}, "setting %s", names[i])
	}
	must.Equal(t, fmt.Sprint(c.get(names...)), fmt.Sprint(second), "values")
	must.Equal(t, fmt.Sprint(got.All()), fmt.Sprint(second), "values of Set")
	must.Do(t, fixed.Update(2.5))
	must.Equal(t, fixed.Value(), any(2.5), "updated value")
	must.Equal(t, c.get("fixed"), []any{2.5}, "updated value")
	must.Fail(t, fixed.Update("x"), "ros 2 node /a: parameter fixed: is a string: must stay a float64")
	v, _ := paramValue(2.5)
	want := parameterEvent{Stamp: wallTime(), Node: "/a", ChangedParameters: []parameter{{"fixed", v}}}
	want.Stamp.Sec, want.Stamp.Nsec = 1, 0
	must.Until(t, "an event", func() bool {
		all := events.All()
		last := parameterEvent{}
		if len(all) > 0 {
			last = all[len(all)-1]
		}
		return len(all) >= len(second) && fmt.Sprint(last) == fmt.Sprint(want)
	})
	must.Refuse(a.DeclareParam("p0", true, ParamOptions{}))(t, "ros 2 node /a: parameter p0: is declared already")
	must.Refuse(a.DeclareParam("x", 1, ParamOptions{}))(t, "parameter x: is a int: must be a bool, int64")
	must.Refuse(a.DeclareParam("", true, ParamOptions{}))(t, "name: must not be empty")
}

// Requests are refused with a reason each, and as a whole if they are atomic.
func TestRefusedParams(t *testing.T) {
	a, c := newParamClient(t)
	var calls must.List[string]
	for _, name := range []string{"x", "y"} {
		must.Get(a.DeclareParam(name, 1.0, ParamOptions{Set: func(v any) error {
			calls.Add(fmt.Sprint(name, v))
			if v.(float64) < 0 {
				return errors.New("must not be negative")
			}
			return nil
		}}))(t)
	}
	must.Get(a.DeclareParam("fixed", "a", ParamOptions{}))(t)
	for _, r := range []struct {
		name  string
		value any
		want  string
	}{
		{"x", 2.0, ""},
		{"x", int64(3), ""}, // what ros2 param set sends for 3
		{"x", -1.0, "parameter x = -1: must not be negative"},
		{"x", "1", "parameter x = 1: must be a double"},
		{"x", []float64{1}, "parameter x = [1]: must be a double"},
		{"x", nil, "parameter x = <nil>: cannot be deleted"},
		{"fixed", "b", "parameter fixed = b: is read-only"},
		{"none", true, `parameter = "none": the node has none of that name`},
	} {
		must.Equal(t, c.set(r.name, r.value), []string{r.want}, "reason for %s = %v", r.name, r.value)
	}
	must.Equal(t, c.set("x", 4.0, "x", -1.0, "y", 5.0), []string{"", "parameter x = -1: must not be negative", ""},
		"reasons of three")
	must.Equal(t, c.get("x", "y"), []any{4.0, 5.0}, "values")
	must.Equal(t, c.setAll("x", 6.0, "y", 7.0), setParametersResult{Successful: true}, "result of both")
	before := len(calls.All())
	must.Equal(t, c.setAll("x", 8.0, "y", 9.0, "y", -1.0),
		setParametersResult{Reason: "parameter y = -1: must not be negative"}, "result of a refusal")
	must.Equal(t, calls.All()[before:], []string{"x8", "y9", "y-1", "y7", "x6"}, "calls of Set")
	must.Equal(t, c.get("x", "y"), []any{6.0, 7.0}, "values after a refusal")
	big := paramsOf([]any{"x", 1.0})
	for range maxParamNames {
		big.Parameters = append(big.Parameters, big.Parameters[0])
	}
	r := ask[setParametersRequest, setParametersResponse](c, "set_parameters", "SetParameters", big)
	must.Equal(t, len(r.Results), 0, "results of too many parameters")
	must.Equal(t, c.get(make([]string, maxParamNames+1)...), nil, "values of too many names")
}

// A value that others set is bounded, and so is an answer.
func TestLargeParams(t *testing.T) {
	a, c := newParamClient(t)
	must.Get(a.DeclareParam("text", "", ParamOptions{Set: func(any) error { return nil }}))(t)
	must.Equal(t, c.set("text", strings.Repeat("a", maxParamSize)), []string{""}, "reason")
	long := c.set("text", strings.Repeat("a", maxParamSize+1))
	must.Equal(t, strings.HasSuffix(long[0], "aaa: has 65537 bytes: must have at most 65536"), true, "reason %v", long)
	names := make([]string, maxParamReply/maxParamSize+1)
	for i := range names {
		names[i] = "text"
	}
	must.Equal(t, len(c.get(names[2:]...)), len(names)-2, "values")
	must.Equal(t, len(c.get(names...)), 0, "values of a huge answer")
}

func TestListParams(t *testing.T) {
	a, c := newParamClient(t)
	for _, name := range []string{"a.b.c", "b", "a", "a.d", "ab.c"} {
		must.Get(a.DeclareParam(name, true, ParamOptions{}))(t)
	}
	for _, l := range []struct {
		prefixes []string
		depth    uint64
		names    string
		want     string // prefixes
	}{
		{nil, 0, "a a.b.c a.d ab.c b", "a.b a ab"},
		{nil, 1, "a b", ""},
		{nil, 2, "a a.d ab.c b", "a ab"},
		{[]string{"a"}, 0, "a a.b.c a.d", "a.b a"},
		{[]string{"a"}, 1, "a", ""},
		{[]string{"a"}, 2, "a a.d", "a"},
		{[]string{"ab", "b", "none"}, 0, "ab.c b", "ab"},
	} {
		r := ask[listParametersRequest, listParametersResponse](c, "list_parameters", "ListParameters",
			&listParametersRequest{l.prefixes, l.depth}).Result
		got, want := [2]string{strings.Join(r.Names, " "), strings.Join(r.Prefixes, " ")}, [2]string{l.names, l.want}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("prefixes %q, depth %d: got %q, want %q", l.prefixes, l.depth, got, want)
		}
	}
	must.Do(t, a.Close())
	must.Until(t, "no services", func() bool { return len(c.n.Graph().Services) == 0 })
	must.Refuse(a.DeclareParam("x", true, ParamOptions{}))(t, "parameter x: use of closed network connection")
}
