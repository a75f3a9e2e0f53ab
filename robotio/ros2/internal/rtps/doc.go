// Package rtps implements the part of RTPS 2.3 over UDP that ROS 2 nodes need: discovery of participants and endpoints,
// and writers and readers, reliable or best effort, volatile or transient local. Fast DDS and CycloneDDS are peers.
//
// The package knows neither messages nor nodes: payloads are opaque bytes that begin with the encapsulation of CDR.
// Topics have no keys. A participant's writers do not reach its own readers. There are no partitions, no shared memory
// and no security: who can send datagrams to the participant can claim to be anybody.
//
//	p, err := rtps.Open(rtps.Config{Domain: 0, UserData: "enclave=/;"})
//	w, err := p.NewWriter(rtps.WriterConfig{Topic: "rt/chatter", Type: "std_msgs::msg::dds_::String_"})
//	seq, err := w.Write(rtps.Outgoing{Head: payload})
//	err = p.Close()
//
// No socket receives from other machines, unless Config asks for more. Everything that peers can make the participant
// keep is bounded by Config.Limits. Any goroutine may call methods. Callbacks run one after the other on one goroutine.
// They may call methods, but not Participant.Close.
//
// Source: OMG, DDS Interoperability Wire Protocol 2.3 (formal/19-04-03).
package rtps
