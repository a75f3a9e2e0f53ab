package ros2

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
	"github.com/omnipitch/omnipitch/testdata/must"
)

const stringHash = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"

// tokens has tokens with the keys of their samples and their identifiers. The first two are those of rmw_zenoh_cpp's
// documentation, docs/design.md. The identifiers are from the Python package xxhash 3.5.0. Texts have several lengths.
var tokens = []struct {
	text  string
	token token
	key   string
	id    string
}{
	{"@ros2_lv/0/aac3178e146ba6f1fc6e6a4085e77f21/0/0/NN/%/%/listener",
		token{domain: "0", session: "aac3178e146ba6f1fc6e6a4085e77f21", kind: tokenNode, nodeName: "/listener"},
		"", ""},
	{"@ros2_lv/0/8b20917502ee955ac4476e0266340d5c/0/10/MP/%/%/talker/%chatter/std_msgs::msg::dds_::String_/" +
		stringHash + "/::,7:,:,:,,",
		token{domain: "0", session: "8b20917502ee955ac4476e0266340d5c", entity: 10, kind: tokenPublisher,
			nodeName: "/talker", name: "/chatter", typ: "std_msgs::msg::dds_::String_", hash: stringHash,
			qos: QoS{Reliable: true, Depth: 7}},
		"0/chatter/std_msgs::msg::dds_::String_/" + stringHash, ""},
	{"@ros2_lv/0/1a2b/1/1/NN/%/%/omnipitch",
		token{domain: "0", session: "1a2b", node: 1, entity: 1, kind: tokenNode, nodeName: "/omnipitch"},
		"", "13adc121a160013c59224eccbad1c316"},
	{"@ros2_lv/7/1a2b/1/2/MP/%/%team/omnipitch/%odom/nav_msgs::msg::dds_::Odometry_/RIHS01_ab/::,10:,:,:,,",
		token{domain: "7", session: "1a2b", node: 1, entity: 2, kind: tokenPublisher, nodeName: "/team/omnipitch",
			name: "/odom", typ: "nav_msgs::msg::dds_::Odometry_", hash: "RIHS01_ab",
			qos: QoS{Reliable: true, Depth: 10}},
		"7/odom/nav_msgs::msg::dds_::Odometry_/RIHS01_ab", "52791c87b6743816aa1a8c25104e1bae"},
	{"@ros2_lv/7/1a2b/1/3/MS/%/%/n/%" + strings.Repeat("long%", 60) + "x/a::msg::dds_::B_/TypeHashNotSupported/" +
		"2:1:,:,:,:,,",
		token{domain: "7", session: "1a2b", node: 1, entity: 3, kind: tokenSubscriber, nodeName: "/n",
			name: "/" + strings.Repeat("long/", 60) + "x", typ: "a::msg::dds_::B_", hash: noHash,
			qos: QoS{TransientLocal: true, Depth: 42}},
		"7/" + strings.Repeat("long/", 60) + "x/a::msg::dds_::B_/TypeHashNotSupported",
		"f1a840155270b638a27bdea090f3afbd"},
	{"@ros2_lv/7/1a2b/1/4/SS/%/%/n/%n%reset/std_srvs::srv::dds_::Trigger_/RIHS01_cd/::,1000:,:10,500:,,",
		token{domain: "7", session: "1a2b", node: 1, entity: 4, kind: tokenService, nodeName: "/n", name: "/n/reset",
			typ: "std_srvs::srv::dds_::Trigger_", hash: "RIHS01_cd",
			qos: QoS{Reliable: true, Depth: 1000, Lifespan: 10*time.Second + 500}},
		"7/n/reset/std_srvs::srv::dds_::Trigger_/RIHS01_cd", "5c914f7633b5ff500469468bee8dc50b"},
}

func TestTokens(t *testing.T) {
	for _, c := range tokens {
		must.Equal(t, c.token.String(), c.text, "token")
		got, ok := parseToken(c.text)
		must.Equal(t, ok, true, "whether %s is a token", c.text)
		want := c.token
		want.qos.Lifespan = 0 // nobody asks for it
		must.Equal(t, got, want, "parts of %s", c.text)
		if c.key != "" {
			must.Equal(t, got.key(), c.key, "key")
		}
		if id := tokenID(c.text); c.id != "" {
			must.Equal(t, hex.EncodeToString(id[:]), c.id, "identifier of %s", c.text)
		}
	}
	for _, bad := range []string{"", "@ros2_lv", "0/chatter", "@ros2_lv/0/1a/1/1/NN/%/%", "@ros2_lv/0/1a/x/1/NN/%/%/n",
		"@ros2_lv/0/1a/1/1/XX/%/%/n", "@ros2_lv/0/1a/1/1/NN/%/%/n/more", "@ros2_lv/0/1a/1/1/NN/%/%/a b",
		"@ros2_lv/0/1a/1/1/MP/%/%/n/%t/typ/hash", "@ros2_lv/0/1a/1/1/MP/%/%/n/%t/typ/hash/::,10",
		"@ros2_lv/0/1a/1/1/MP/%/%/n/%t/typ/hash/::,ten:,:,:,,", "@ros2_lv/0/1a/1/1/MP/%/%/n/t/typ/hash/::,10:,:,:,,"} {
		if got, ok := parseToken(bad); ok {
			t.Errorf("%q is a token: %+v", bad, got)
		}
	}
}

// FuzzToken parses keys. A token that is parsed and written again is the same, apart from its enclave and QoS.
func FuzzToken(f *testing.F) {
	for _, c := range tokens {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		one, ok := parseToken(text)
		if !ok {
			return
		}
		two, ok := parseToken(one.String())
		if !ok || fmt.Sprint(one) != fmt.Sprint(two) {
			t.Errorf("%q: got %v, then %v, %v", text, one, two, ok)
		}
	})
}

// The bytes are those of zenoh.ext.z_serialize of eclipse-zenoh 1.10.2.
func TestAttachment(t *testing.T) {
	b := must.Get(hex.DecodeString("0500000000000000feffffffffffffff10000102030405060708090a0b0c0d0e0f"))(t)
	info, ok := parseAttachment(b)
	want := rtps.Identity{GUID: rtps.GUID{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, Seq: 5}
	must.Equal(t, ok && info.Identity == want && info.Time.Equal(time.Unix(0, -2)), true, "what %x says: %+v", b, info)
	got := attach(want, info.Time)
	must.Equal(t, hex.EncodeToString(got[:]), hex.EncodeToString(b), "attachment")
	for _, bad := range []string{"", string(b[:32]), string(b) + "x", strings.Replace(string(b), "\x10", "\x0f", 1)} {
		if _, ok := parseAttachment([]byte(bad)); ok {
			t.Errorf("%x is an attachment", bad)
		}
	}
}

func TestZenohFromEnv(t *testing.T) {
	for _, c := range []struct{ rmw, override, file, router, err string }{
		{"", `connect/endpoints=["tcp/1.2.3.4:7447"]`, "x", "", ""},
		{"rmw_fastrtps_cpp", "", "x", "", ""},
		{"rmw_zenoh_cpp", "", "", "localhost:7447", ""},
		{"rmw_zenoh_cpp", `mode="client"; connect/endpoints = ["tcp/1.2.3.4:7447"];x=1`, "x", "1.2.3.4:7447", ""},
		{"rmw_zenoh_cpp", `connect/endpoints=['tcp/[::1]:7448']`, "", "[::1]:7448", ""},
		{"rmw_zenoh_cpp", `mode="client"`, "/a.json5", "", "ZENOH_SESSION_CONFIG_URI = /a.json5: is not read here: name the " +
			`router, such as ZENOH_CONFIG_OVERRIDE='connect/endpoints=["tcp/localhost:7447"]'`},
		{"rmw_zenoh_cpp", `connect/endpoints=["udp/a:1"]`, "", "", `connect/endpoints = ["udp/a:1"]: must be one router`},
		{"rmw_zenoh_cpp", `connect/endpoints=["tcp/a:1","tcp/b:1"]`, "", "", "must be one router"},
		{"rmw_zenoh_cpp", `connect/endpoints=["tcp/a"]`, "", "", "must be one router"},
		{"rmw_zenoh_cpp", `connect/endpoints=tcp/a:1`, "", "", "must be one router"},
	} {
		env := map[string]string{"RMW_IMPLEMENTATION": c.rmw, "ZENOH_CONFIG_OVERRIDE": c.override,
			"ZENOH_SESSION_CONFIG_URI": c.file}
		var got Config
		err := got.FromEnv(func(name string) string { return env[name] })
		if c.err != "" {
			must.Fail(t, err, c.err)
			continue
		}
		must.Do(t, err)
		must.Equal(t, got.Router, c.router, "router of %v", env)
		must.Equal(t, got.Transport == Zenoh, c.rmw == "rmw_zenoh_cpp", "whether %v asks for Zenoh", env)
	}
}
