package foxglove

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

var le = binary.LittleEndian

// Operations of binary messages. Source: ws-protocol, docs/spec.md.
const (
	opMessage = 1 // from the server: subscription uint32, time uint64 in ns, message
	opTime    = 2 // server: time uint64 in ns
	// from the server: service uint32, call uint32, length of the encoding uint32, encoding, response
	opServiceResponse = 3
	opClientMessage   = 1 // from a client: channel uint32, message
	// from a client: the same fields as opServiceResponse, with the request instead of the response
	opServiceRequest = 2
)

// statusError is the level of all status messages of this server. Source: ws-protocol, docs/spec.md.
const statusError = 2

func nanoseconds(t msg.Time) uint64 { return uint64(t.Sec)*1e9 + uint64(t.Nsec) }

func timeMessage(t msg.Time) []byte {
	return le.AppendUint64([]byte{opTime}, nanoseconds(t))
}

// appendMessageHead appends the header of a message.
func appendMessageHead(b []byte, subscription uint32, t msg.Time) []byte {
	return le.AppendUint64(le.AppendUint32(append(b, opMessage), subscription), nanoseconds(t))
}

// call is a request to a service, or its response.
type call struct {
	service, id uint32
	encoding    string
	data        []byte
}

func (c call) append(b []byte) []byte {
	b = le.AppendUint32(le.AppendUint32(b, c.service), c.id)
	b = append(le.AppendUint32(b, uint32(len(c.encoding))), c.encoding...)
	return append(b, c.data...)
}

func parseCall(b []byte) (call, error) {
	if len(b) < 12 || uint64(le.Uint32(b[8:])) > uint64(len(b)-12) {
		return call{}, fmt.Errorf("service request of %d bytes: must contain service, call and encoding", len(b))
	}
	n := 12 + int(le.Uint32(b[8:]))
	return call{le.Uint32(b), le.Uint32(b[4:]), string(b[12:n]), b[n:]}, nil
}

// Messages in JSON from clients and from the server.
type (
	request struct {
		Op            string `json:"op"`
		Subscriptions []struct {
			ID      uint32 `json:"id"`
			Channel uint32 `json:"channelId"`
		} `json:"subscriptions"`
		SubscriptionIDs []uint32    `json:"subscriptionIds"`
		Channels        []channel   `json:"channels"`
		ChannelIDs      []uint32    `json:"channelIds"`
		Names           []string    `json:"parameterNames"`
		Parameters      []parameter `json:"parameters"`
		ID              string      `json:"id"`
	}
	serverInfo struct {
		Op           string            `json:"op"`
		Name         string            `json:"name"`
		Capabilities []string          `json:"capabilities"`
		Encodings    []string          `json:"supportedEncodings"`
		Metadata     map[string]string `json:"metadata"`
		SessionID    string            `json:"sessionId"`
	}
	status struct {
		Op      string `json:"op"`
		Level   int    `json:"level"`
		Message string `json:"message"`
	}
	channel struct {
		ID             uint32 `json:"id"`
		Topic          string `json:"topic"`
		Encoding       string `json:"encoding"`
		SchemaName     string `json:"schemaName"`
		Schema         string `json:"schema"`
		SchemaEncoding string `json:"schemaEncoding"`
	}
	service struct {
		ID       uint32      `json:"id"`
		Name     string      `json:"name"`
		Type     string      `json:"type"`
		Request  serviceHalf `json:"request"`
		Response serviceHalf `json:"response"`
		// The fields below are for clients of protocol versions before 0.6.
		RequestSchema  string `json:"requestSchema"`
		ResponseSchema string `json:"responseSchema"`
	}
	serviceHalf struct {
		Encoding       string `json:"encoding"`
		SchemaName     string `json:"schemaName"`
		SchemaEncoding string `json:"schemaEncoding"`
		Schema         string `json:"schema"`
	}
	failure struct {
		Op      string `json:"op"`
		Service uint32 `json:"serviceId"`
		Call    uint32 `json:"callId"`
		Message string `json:"message"`
	}
	parameter struct {
		Name  string          `json:"name"`
		Value json.RawMessage `json:"value,omitempty"` // nil if the parameter is not set, or is to be deleted
		// byte_array, float64, float64_array, or empty if the JSON value determines the type
		Type string `json:"type,omitempty"`
	}
)

// encode encodes a message of the server.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil { // cannot happen with the values in our messages
		return []byte(`{"op":"status","level":2,"message":"a message could not be written"}`)
	}
	return b
}
