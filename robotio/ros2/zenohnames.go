package ros2

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
)

// The names, tokens and attachments of rmw_zenoh_cpp. Source: its repository, of Jazzy and later, liveliness_utils.cpp
// and attachment_helpers.cpp.

// tokenKind is the kind of an entity in a liveliness token.
type tokenKind string

const (
	tokenNode       tokenKind = "NN"
	tokenPublisher  tokenKind = "MP"
	tokenSubscriber tokenKind = "MS"
	tokenService    tokenKind = "SS"
	tokenClient     tokenKind = "SC"
)

// token is a liveliness token: a node, or an endpoint of a node.
type token struct {
	domain, session string
	node, entity    int // numbers in the session
	kind            tokenKind
	nodeName        string // absolute
	name, typ, hash string // of an endpoint; type in DDS
	qos             QoS
}

// noHash stands for the hash of a type of Humble.
const noHash = "TypeHashNotSupported"

const tokenPrefix = "@ros2_lv/"

// mangle replaces slashes in a part of a key.
func mangle(part string) string { return strings.ReplaceAll(part, "/", "%") }

// String returns the token's key. Its parts are never empty.
func (t *token) String() string {
	i := strings.LastIndexByte(t.nodeName, '/')
	text := fmt.Sprint(tokenPrefix, t.domain, "/", t.session, "/", t.node, "/", t.entity, "/", t.kind, "/%/",
		mangle(t.nodeName[:max(i, 1)]), "/", t.nodeName[i+1:])
	if t.kind == tokenNode {
		return text
	}
	return fmt.Sprint(text, "/", mangle(t.name), "/", mangle(t.typ), "/", t.hash, "/", qosText(t.qos))
}

// key returns the key of the samples of a topic, or of the requests of a service.
func (t *token) key() string {
	return t.domain + "/" + strings.Trim(t.name, "/") + "/" + t.typ + "/" + t.hash
}

// tokenID returns the identifier that rmw_zenoh_cpp gives to a token's entity.
func tokenID(key string) (id rtps.GUID) {
	sum := xxh3.HashString128(key)
	le.PutUint64(id[:], sum.Lo)
	le.PutUint64(id[8:], sum.Hi)
	return id
}

// parseToken reads a token's key. It returns false if the key has another form.
func parseToken(key string) (t token, ok bool) {
	rest, ok := strings.CutPrefix(key, tokenPrefix)
	parts := strings.Split(rest, "/")
	if !ok || len(parts) < 8 {
		return t, false
	}
	t.domain, t.session, t.kind = parts[0], parts[1], tokenKind(parts[4])
	var err [2]error
	t.node, err[0] = strconv.Atoi(parts[2])
	t.entity, err[1] = strconv.Atoi(parts[3])
	space := strings.ReplaceAll(parts[6], "%", "/")
	t.nodeName = strings.TrimSuffix(space, "/") + "/" + parts[7]
	if errors.Join(err[:]...) != nil || checkName("/"+strings.TrimPrefix(t.nodeName, "/")) != nil {
		return t, false
	}
	switch t.kind {
	case tokenNode:
		return t, len(parts) == 8
	case tokenPublisher, tokenSubscriber, tokenService, tokenClient:
	default:
		return t, false
	}
	if len(parts) != 12 {
		return t, false
	}
	t.name, t.typ, t.hash = strings.ReplaceAll(parts[8], "%", "/"), strings.ReplaceAll(parts[9], "%", "/"), parts[10]
	t.qos, ok = parseQoS(parts[11])
	return t, ok && strings.HasPrefix(t.name, "/") && t.typ != ""
}

// endpoint returns the endpoint as it would be in DDS.
func (t *token) endpoint(id rtps.GUID) rtps.Endpoint {
	e := rtps.Endpoint{GUID: id, Writer: t.kind == tokenPublisher || t.kind == tokenClient, Topic: "rt" + t.name,
		Type: t.typ, QoS: t.qos}
	if t.kind == tokenService || t.kind == tokenClient {
		e.Topic = "rq" + t.name + "Request"
	}
	if t.hash != noHash {
		e.UserData = "typehash=" + t.hash + ";"
	}
	return e
}

// The numbers of rmw for QoS. A token has them only where they differ from rmw_zenoh_cpp's default: reliable, volatile,
// the last 42 samples.
const (
	rmwBestEffort     = "2"
	rmwTransientLocal = "1"
	rmwDepth          = 42
)

// qosText returns QoS as in tokens: reliability, durability, history and depth, deadline, lifespan, liveliness.
func qosText(q QoS) string {
	reliability, durability, depth := rmwBestEffort, "", ""
	if q.Reliable {
		reliability = ""
	}
	if q.TransientLocal {
		durability = rmwTransientLocal
	}
	if q.Depth != rmwDepth {
		depth = strconv.Itoa(q.Depth)
	}
	return reliability + ":" + durability + ":," + depth + ":" + durationText(q.Deadline) + ":" +
		durationText(q.Lifespan) + ":,,"
}

func durationText(d time.Duration) string {
	if d == 0 {
		return ","
	}
	return fmt.Sprint(int64(d/time.Second), ",", int64(d%time.Second))
}

func parseQoS(text string) (q QoS, ok bool) {
	parts := strings.Split(text, ":")
	if len(parts) != 6 {
		return q, false
	}
	q = QoS{Reliable: parts[0] != rmwBestEffort, TransientLocal: parts[1] == rmwTransientLocal, Depth: rmwDepth}
	_, depth, _ := strings.Cut(parts[2], ",")
	if n, err := strconv.Atoi(depth); err == nil {
		q.Depth = n
	} else if depth != "" {
		return q, false
	}
	return q, true
}

// Each sample has an attachment: its number, its time in nanoseconds, and the identifier of its sender.
const attachmentSize = 8 + 8 + 1 + 16

// attach returns an attachment.
func attach(of rtps.Identity, now time.Time) (a [attachmentSize]byte) {
	le.PutUint64(a[:], uint64(of.Seq))
	le.PutUint64(a[8:], uint64(now.UnixNano()))
	a[16] = 16 // the length of what follows
	copy(a[17:], of.GUID[:])
	return a
}

func parseAttachment(a []byte) (info rtps.Info, ok bool) {
	if len(a) != attachmentSize || a[16] != 16 {
		return info, false
	}
	info.Seq, info.GUID = int64(le.Uint64(a)), rtps.GUID(a[17:])
	info.Time = time.Unix(0, int64(le.Uint64(a[8:])))
	return info, true
}

// defaultRouter is where nodes of rmw_zenoh_cpp look for a router.
const defaultRouter = "localhost:7447"

// zenohFromEnv sets the transport and the router from the variables of ROS 2 and of rmw_zenoh_cpp.
func (c *Config) zenohFromEnv(getenv func(string) string) error {
	if getenv("RMW_IMPLEMENTATION") != "rmw_zenoh_cpp" {
		return nil
	}
	c.Transport, c.Router = Zenoh, defaultRouter
	text, found := "", false
	for setting := range strings.SplitSeq(getenv("ZENOH_CONFIG_OVERRIDE"), ";") {
		if name, value, _ := strings.Cut(setting, "="); strings.TrimSpace(name) == "connect/endpoints" {
			text, found = value, true
		}
	}
	if !found {
		if file := getenv("ZENOH_SESSION_CONFIG_URI"); file != "" {
			return fmt.Errorf(`ZENOH_SESSION_CONFIG_URI = %s: is not read here: name the router, such as `+
				`ZENOH_CONFIG_OVERRIDE='connect/endpoints=["tcp/%s"]'`, file, defaultRouter)
		}
		return nil
	}
	var all []string
	err := json.Unmarshal([]byte(strings.ReplaceAll(text, "'", `"`)), &all)
	if err == nil && len(all) == 1 {
		var ok bool
		if c.Router, ok = strings.CutPrefix(all[0], "tcp/"); ok {
			if _, _, err = net.SplitHostPort(c.Router); err == nil {
				return nil
			}
		}
	}
	return fmt.Errorf(`ZENOH_CONFIG_OVERRIDE: connect/endpoints = %s: must be one router, such as ["tcp/%s"]`, text,
		defaultRouter)
}
