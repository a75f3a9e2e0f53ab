package msg

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/pypi"
)

// rosbagsStore has store(name, text), which returns rosbags's store of the types in a full text, and the types.
// rosbags takes all types for messages. real maps their names there to those in ROS.
const rosbagsStore = `
import sys, json, re
from rosbags.typesys import Stores, get_typestore, get_types_from_msg
def store(name, text):
    message = lambda n: re.sub('/(srv|action)/', '/msg/', n)
    real = {message(n): n for n in [name] + re.findall('MSG: (.*)', text)}
    def rename(x):
        return real.get(x, x) if isinstance(x, str) else type(x)(map(rename, x)) if type(x) in (list, tuple) else x
    types = get_types_from_msg(re.sub('MSG: .*', lambda m: message(m[0]), text), message(name))
    types = {rename(t): rename(d) for t, d in types.items()}
    s = get_typestore(Stores.EMPTY)
    s.register(types)
    return s, types
`

// rosbagsOracle reads [[type, full text]], and prints the hash of each type and the types that rosbags's own
// definitions of a distribution describe differently.
const rosbagsOracle = rosbagsStore + `
hashes, other = [], []
own = get_typestore(Stores['ROS2_' + sys.argv[1].upper()])
for name, text in json.load(sys.stdin):
    types = store(name, text)[1]
    other += [t for t, d in types.items() if d[1] and own.fielddefs.get(t, d)[1] != d[1]]
    # rosidl hashes char as uint8; rosbags does not
    hashes.append(store(name, re.sub('(?m)^char', 'uint8', text))[0].hash_rihs01(name))
json.dump([hashes, other], sys.stdout)
`

// TestAgainstRosbags uses rosbags as the oracle for fields and hashes of every type of ROS 2.
func TestAgainstRosbags(t *testing.T) {
	python := pypi.Python(t, pypi.Rosbags...)
	for distribution := range distributions {
		var in [][2]string
		defs := ros2Definitions(t, must.Get(LoadROS2(distribution))(t))
		for _, def := range defs {
			in = append(in, [2]string{def.TypeName, def.Text})
		}
		var got struct{ hashes, other []string }
		run(t, in, &[2]*[]string{&got.hashes, &got.other}, python, "-c", rosbagsOracle, distribution)
		for i, def := range defs {
			must.Equal(t, def.Hash, got.hashes[i], "%s %s: hash", distribution, def.TypeName)
		}
		must.Equal(t, got.other, []string{}, "%s: types with other fields", distribution)
	}
}

// run runs a program with in as JSON, and reads its output into out.
func run(t *testing.T, in, out any, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(must.Get(json.Marshal(in))(t)), &stderr
	raw, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, &stderr)
	}
	must.Do(t, json.Unmarshal(raw, out))
}

// goStruct returns a struct type for a definition of ROS 2.
func goStruct(def *Definition) reflect.Type {
	var fields []reflect.StructField
	for i, f := range def.Fields {
		if f == placeholder {
			break
		}
		t := builtins[f.Base].typ
		if f.Base == "byte" {
			t = reflect.TypeFor[uint8]()
		} else if nested := def.Nested(f.Base); nested != nil {
			t = goStruct(nested)
		}
		switch {
		case f.Len >= 0:
			t = reflect.ArrayOf(f.Len, t)
		case f.Len == Variable:
			t = reflect.SliceOf(t)
		}
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: t,
			Tag: reflect.StructTag(fmt.Sprintf("ros:%q", f.Name))})
	}
	return reflect.StructOf(fields)
}

// randomize sets the struct v to a random message, and appends its values as text to flat.
func randomize(v reflect.Value, def *Definition, r *rand.Rand, flat []string) []string {
	for i := range v.NumField() {
		f, x := def.Fields[i], v.Field(i)
		elems := []reflect.Value{x}
		if f.Len == Variable {
			n := r.IntN(4)
			if f.Most > 0 {
				n = r.IntN(f.Most + 1)
			}
			x.Set(reflect.MakeSlice(x.Type(), n, n))
		}
		if f.Len != NoArray {
			elems = nil
			for i := range x.Len() {
				elems = append(elems, x.Index(i))
			}
			flat = append(flat, fmt.Sprint(x.Len()))
		}
		for _, e := range elems {
			if nested := def.Nested(f.Base); nested != nil {
				flat = randomize(e, nested, r, flat)
				continue
			}
			flat = append(flat, randomValue(e, f, r))
		}
	}
	return flat
}

func randomValue(v reflect.Value, f Field, r *rand.Rand) string {
	switch v.Kind() {
	case reflect.String:
		text := strings.Repeat("ä b", r.IntN(3))
		if f.MostText > 0 {
			text = text[:min(len(text), f.MostText)]
		}
		v.SetString(text)
		return text
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 1)
		return fmt.Sprint(v.Bool())
	case reflect.Float32, reflect.Float64:
		v.SetFloat(r.NormFloat64() * math.Pow(10, float64(r.IntN(40)-20)))
		return fmt.Sprintf("%016x", math.Float64bits(v.Float()))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.Uint64()) >> (64 - v.Type().Bits()))
		return fmt.Sprint(v.Int())
	}
	v.SetUint(r.Uint64() >> (64 - v.Type().Bits()))
	return fmt.Sprint(v.Uint())
}

// rosbagsCodec reads [[type, full text, message in hexadecimal digits], …]. For each message it prints all values as
// text, and the message encoded by rosbags in little-endian and in big-endian order.
const rosbagsCodec = rosbagsStore + `
import struct
from rosbags.interfaces import Nodetype
def walk(s, typ, m, flat):
    for name, (kind, desc) in s.fielddefs[typ][1]:
        if name == 'structure_needs_at_least_one_member': continue
        x = getattr(m, name)
        if kind in (Nodetype.ARRAY, Nodetype.SEQUENCE):
            (kind, desc), xs = desc[0], list(x)
            flat.append(str(len(xs)))
        else:
            xs = [x]
        for x in xs:
            if kind == Nodetype.NAME: walk(s, desc, x, flat)
            elif desc[0] == 'bool': flat.append('true' if x else 'false')
            elif desc[0] == 'string': flat.append(x)
            elif desc[0] in ('float32', 'float64'): flat.append(struct.pack('>d', float(x)).hex())
            elif desc[0] == 'byte': flat.append(str(int(x) & 255)) # of arrays, rosbags makes signed numbers
            else: flat.append(str(int(x)))
    return flat
out, stores = [], {}
for name, text, data in json.load(sys.stdin):
    key = name + text
    if key not in stores:
        types = store(name, text)[1]
        for d in types.values():
            d[1].extend([] if d[1] else [('structure_needs_at_least_one_member', (Nodetype.BASE, ('uint8', 0)))])
        stores[key] = get_typestore(Stores.EMPTY)
        stores[key].register(types)
    s = stores[key]
    m = s.deserialize_cdr(bytes.fromhex(data), name)
    out.append([walk(s, name, m, []), bytes(s.serialize_cdr(m, name)).hex(),
        bytes(s.serialize_cdr(m, name, little_endian=False)).hex()])
json.dump(out, sys.stdout)
`

// TestCDRAgainstRosbags compares random messages of every type of ROS 2 with rosbags. It decodes our messages to the
// same values, and encodes them to the same bytes. We decode both its little-endian and its big-endian messages.
func TestCDRAgainstRosbags(t *testing.T) {
	python := pypi.Python(t, pypi.Rosbags...)
	const each, seed = 3, 5
	r := rand.New(rand.NewPCG(seed, seed))
	type row struct {
		def   *Definition
		plan  *plan
		value reflect.Value
		flat  []string
	}
	var rows []row
	var in [][3]string
	for distribution := range distributions {
		for _, def := range ros2Definitions(t, must.Get(LoadROS2(distribution))(t)) {
			typ := goStruct(def)
			p := must.Get(compileStruct(def, typ))(t)
			for range each {
				v := reflect.New(typ)
				flat := randomize(v.Elem(), def, r, []string{})
				w := cdrWriter{b: []byte(encapsulation), start: len(encapsulation)}
				w.fields(p, v.UnsafePointer())
				rows = append(rows, row{def, p, v, flat})
				in = append(in, [3]string{def.TypeName, def.Text, hex.EncodeToString(w.b)})
			}
		}
	}
	var out [][3]any
	run(t, in, &out, python, "-c", rosbagsCodec)
	for i, row := range rows {
		name := row.def.TypeName
		must.Equal(t, out[i][0], toAny(row.flat), "%s: values that rosbags decoded", name)
		must.Equal(t, out[i][1].(string), in[i][2], "%s: little-endian message of rosbags", name)
		for _, order := range []any{out[i][1], out[i][2]} {
			got := reflect.New(row.value.Type().Elem())
			rest, err := row.plan.decodeCDR(must.Get(hex.DecodeString(order.(string)))(t), got.UnsafePointer())
			if err != nil || len(rest) > 0 {
				t.Errorf("%s: %v; %d bytes left over", name, err, len(rest))
			}
			w := cdrWriter{b: []byte(encapsulation), start: len(encapsulation)}
			w.fields(row.plan, got.UnsafePointer())
			must.Equal(t, hex.EncodeToString(w.b), in[i][2], "%s: decoded and encoded again", name)
		}
	}
}

func toAny(list []string) any {
	all := []any{}
	for _, s := range list {
		all = append(all, s)
	}
	return all
}
