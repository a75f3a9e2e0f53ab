// fastdds is a Fast DDS peer for tests, with the arguments and output of cyclone.c. With "ask" and "serve" it is a
// client and a server of a service: requests and answers carry the related sample identity. A last argument is the
// period of HEARTBEATs in seconds; Fast DDS's is 3.
//
// The environment may have DDSPEER_ADDRESS, the address of the interface, DDSPEER_PEER, the address of a participant to
// find, DDSPEER_MULTICAST, if participants are found by multicast, and DDSPEER_LEASE, the lease in seconds.
#include <fastdds/dds/core/status/SubscriptionMatchedStatus.hpp>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/DataWriterListener.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/rtps/common/WriteParams.h>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastcdr/Cdr.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

using namespace eprosima::fastdds::dds;
using namespace eprosima::fastrtps::rtps;
using eprosima::fastdds::rtps::UDPv4TransportDescriptor;

struct Blob {
	std::vector<unsigned char> bytes;
};

// BlobType copies payloads, with their encapsulation. With "call" and "serve", the service is /blob0 of type test/Blob,
// with the names of ROS.
struct BlobType : TopicDataType {
	BlobType(const char *name, uint32_t size = 1 << 21)
	{
		setName(name);
		m_typeSize = size;
	}
	bool serialize(void *data, SerializedPayload_t *p) override
	{
		auto *b = static_cast<Blob *>(data);
		p->length = b->bytes.size();
		memcpy(p->data, b->bytes.data(), b->bytes.size());
		p->encapsulation = CDR_LE;
		return true;
	}
	bool deserialize(SerializedPayload_t *p, void *data) override
	{
		static_cast<Blob *>(data)->bytes.assign(p->data, p->data + p->length);
		return true;
	}
	std::function<uint32_t()> getSerializedSizeProvider(void *data) override
	{
		return [data] { return static_cast<Blob *>(data)->bytes.size(); };
	}
	void *createData() override { return new Blob; }
	void deleteData(void *data) override { delete static_cast<Blob *>(data); }
	bool getKey(void *, InstanceHandle_t *, bool) override { return false; }
};

static uint32_t number(const Blob &b, size_t at)
{
	uint32_t v = 0;
	if (at + 4 <= b.bytes.size())
		memcpy(&v, &b.bytes[at], 4);
	return v;
}

static int64_t now()
{
	return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
		.count();
}

using eprosima::fastcdr::Cdr;

template <typename T> static void copy_one(Cdr &from, Cdr &to)
{
	T v;
	from >> v;
	to << v;
}

// copy decodes a sample and encodes it again. The format is one of cyclone.c. It returns where the format or the
// sequence ends; without the argument samples, nothing is decoded.
static const char *copy(const char *f, Cdr &from, Cdr &to, bool samples)
{
	for (; *f && *f != ')'; f++) {
		int count = 1;
		if (isdigit(*f))
			count = strtol(f, (char **)&f, 10);
		if (*f == '(') {
			uint32_t n = 0;
			if (samples)
				from >> n, to << n;
			const char *element = f + 1;
			f = copy(element, from, to, false);
			for (uint32_t i = 0; i < n; i++)
				copy(element, from, to, true);
			continue;
		}
		for (int i = 0; samples && i < count; i++) {
			switch (*f) {
			case 'b':
				copy_one<uint8_t>(from, to);
				break;
			case 'i':
				copy_one<uint32_t>(from, to);
				break;
			case 'd':
				copy_one<double>(from, to);
				break;
			default:
				copy_one<std::string>(from, to);
			}
		}
	}
	return f;
}

// wait_for_reader must not be called by a listener: Fast DDS calls it with a lock that discovery needs.
static void wait_for_reader(DataWriter *w)
{
	for (PublicationMatchedStatus s; s.current_count == 0; w->get_publication_matched_status(s))
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Echo publishes the samples of a topic again.
struct Echo {
	std::string topic, format;
	DataReader *reader = nullptr;
	DataWriter *writer = nullptr;
	bool waits = false; // for a reader of the second topic
	void answer()
	{
		Blob b, back;
		SampleInfo info;
		while (reader->take_next_sample(&b, &info) == ReturnCode_t::RETCODE_OK) {
			if (!info.valid_data)
				continue;
			try {
				back.bytes.resize(b.bytes.size() + 8);
				eprosima::fastcdr::FastBuffer in((char *)b.bytes.data(), b.bytes.size());
				eprosima::fastcdr::FastBuffer out((char *)back.bytes.data(), back.bytes.size());
				Cdr from(in, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR), to(out, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
				from.read_encapsulation();
				to.serialize_encapsulation();
				copy(format.c_str(), from, to, true);
				back.bytes.resize(to.getSerializedDataLength());
			} catch (std::exception &e) {
				printf("%s: %s\n", topic.c_str(), e.what());
				continue;
			}
			if (waits)
				wait_for_reader(writer);
			writer->write(&back);
			printf("echoed %s\n", topic.c_str());
		}
	}
};

static void echo(DomainParticipant *p, Publisher *pub, Subscriber *sub, DataWriterQos wq, DataReaderQos rq,
                 std::vector<std::string> args)
{
	std::vector<unsigned char> data(args[0].begin(), args[0].end());
	wq.user_data().data_vec(data);
	rq.user_data().data_vec(data);
	static std::vector<Echo> all((args.size() - 1) / 3);
	for (size_t i = 0; i < all.size(); i++) {
		auto &type = args[3 * i + 2];
		TypeSupport(new BlobType(type.c_str(), 1024)).register_type(p);
		all[i].topic = args[3 * i + 1];
		all[i].format = args[3 * i + 3];
		all[i].waits = wq.reliability().kind == RELIABLE_RELIABILITY_QOS &&
			wq.durability().kind == VOLATILE_DURABILITY_QOS;
		all[i].writer = pub->create_datawriter(p->create_topic(all[i].topic + "_back", type, TOPIC_QOS_DEFAULT), wq);
		all[i].reader = sub->create_datareader(p->create_topic(all[i].topic, type, TOPIC_QOS_DEFAULT), rq);
	}
	printf("ready\n");
	for (;; std::this_thread::sleep_for(std::chrono::milliseconds(1)))
		for (auto &e : all)
			e.answer();
}

static std::mutex mu;
static std::vector<int64_t> latency;
static int64_t first, last;

struct Listener : DataReaderListener {
	bool print = true;
	DataWriter *answers = nullptr;
	void on_data_available(DataReader *reader) override
	{
		static thread_local Blob b;
		SampleInfo info;
		while (reader->take_next_sample(&b, &info) == ReturnCode_t::RETCODE_OK) {
			if (!info.valid_data)
				continue;
			int64_t t = now(), stamp = info.source_timestamp.to_ns();
			if (print) {
				uint32_t n = number(b, 4), at = 8 + (n + 3) / 4 * 4, size = number(b, at), sum = 0;
				for (uint32_t k = 0; k < size && at + 4 + k < b.bytes.size(); k++)
					sum = sum * 31 + b.bytes[at + 4 + k];
				printf("got %.*s %u %u %" PRId64 " for %" PRIu64 "\n", int(n) - 1, (char *)&b.bytes[8], size, sum,
				       stamp, info.related_sample_identity.sequence_number().to64long());
			}
			if (answers) {
				WriteParams p;
				p.related_sample_identity(info.related_sample_identity);
				p.related_sample_identity().sequence_number() = info.sample_identity.sequence_number();
				wait_for_reader(answers);
				answers->write(&b, p);
			}
			std::lock_guard<std::mutex> lock(mu);
			if (latency.empty())
				first = t;
			last = t;
			latency.push_back(t - stamp);
		}
	}
};

static Blob blob(const std::string &text, uint32_t size)
{
	Blob b;
	auto add = [&](uint32_t v) {
		for (int i = 0; i < 4; i++)
			b.bytes.push_back(v >> 8 * i);
	};
	b.bytes = {0, 1, 0, 0};
	add(text.size() + 1);
	b.bytes.insert(b.bytes.end(), text.begin(), text.end());
	b.bytes.resize(b.bytes.size() + 1 + 3 - text.size() % 4);
	add(size);
	for (uint32_t k = 0; k < size; k++)
		b.bytes.push_back(k * 7);
	return b;
}

static void summarize()
{
	for (;;) {
		std::this_thread::sleep_for(std::chrono::milliseconds(100));
		std::lock_guard<std::mutex> lock(mu);
		if (latency.empty() || now() - last < 1000000000)
			continue;
		std::sort(latency.begin(), latency.end());
		printf("received %zu in %.3f s, latency %.3f %.3f ms\n", latency.size(), (last - first) / 1e9,
		       latency[latency.size() / 2] / 1e6, latency[latency.size() * 99 / 100] / 1e6);
		latency.clear();
	}
}

static std::string env(const char *name, const char *otherwise)
{
	const char *v = getenv(name);
	return v ? v : otherwise;
}

int main(int argc, char **argv)
{
	if (argc < 6)
		return 2;
	setvbuf(stdout, nullptr, _IOLBF, 0);
	std::string mode = argv[1];
	bool named = mode == "call" || mode == "serve";
	if (mode == "call")
		mode = "ask";
	bool reliable = atoi(argv[3]), transient = atoi(argv[4]);
	int topics = mode == "echo" ? 0 : atoi(argv[5]);
	DomainParticipantQos q;
	q.transport().use_builtin_transports = false;
	auto udp = std::make_shared<UDPv4TransportDescriptor>();
	std::string address = env("DDSPEER_ADDRESS", "127.0.0.1");
	udp->interfaceWhiteList.push_back(address);
	udp->maxInitialPeersRange = 32;
	q.transport().user_transports.push_back(udp);
	auto &builtin = q.wire_protocol().builtin;
	if (env("DDSPEER_MULTICAST", "").empty()) {
		Locator_t here, peer;
		IPLocator::setIPv4(here, address);
		IPLocator::setIPv4(peer, env("DDSPEER_PEER", "127.0.0.1"));
		builtin.metatrafficUnicastLocatorList.push_back(here);
		builtin.initialPeersList.push_back(peer);
	}
	int lease = atoi(env("DDSPEER_LEASE", "20").c_str());
	builtin.discovery_config.leaseDuration = Duration_t(lease, 0);
	builtin.discovery_config.leaseDuration_announcementperiod = Duration_t(lease > 10 ? 3 : 0.25 * lease);
	auto *p = DomainParticipantFactory::get_instance()->create_participant(atoi(argv[2]), q);
	if (!p)
		return 1;
	const char *blobName = "test::msg::dds_::Blob_";
	std::string requestType = named ? "test::srv::dds_::Blob_Request_" : blobName;
	std::string answerType = named ? "test::srv::dds_::Blob_Response_" : blobName;
	for (auto &name : {requestType, answerType})
		TypeSupport(new BlobType(name.c_str())).register_type(p);
	auto *sub = p->create_subscriber(SUBSCRIBER_QOS_DEFAULT);
	auto *pub = p->create_publisher(PUBLISHER_QOS_DEFAULT);
	DataWriterQos wq;
	wq.reliability().kind = reliable ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
	wq.durability().kind = transient ? TRANSIENT_LOCAL_DURABILITY_QOS : VOLATILE_DURABILITY_QOS;
	wq.history().depth = 100;
	wq.publish_mode().kind = ASYNCHRONOUS_PUBLISH_MODE;
	wq.endpoint().history_memory_policy = PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
	if (argc > 8)
		wq.reliable_writer_qos().times.heartbeatPeriod = Duration_t(atoi(argv[8]), 0);
	DataReaderQos rq;
	rq.reliability().kind = wq.reliability().kind;
	rq.durability().kind = wq.durability().kind;
	rq.history().depth = 100;
	rq.endpoint().history_memory_policy = PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
	if (mode == "echo")
		echo(p, pub, sub, wq, rq, std::vector<std::string>(argv + 5, argv + argc));
	Listener listener;
	listener.print = mode != "count";
	bool service = mode == "ask" || mode == "serve";
	std::vector<DataWriter *> writers;
	DataReader *reader = nullptr;
	for (int i = 0; i < topics; i++) {
		std::string name = "rt/blob" + std::to_string(i), answer = "rr/blob" + std::to_string(i);
		if (named)
			name = "rq/blob" + std::to_string(i) + "Request", answer += "Reply";
		std::string writes = mode == "serve" ? answer : name, reads = mode == "ask" ? answer : name;
		std::string writesType = mode == "serve" ? answerType : requestType;
		std::string readsType = mode == "ask" ? answerType : requestType;
		if (mode == "pub" || service)
			writers.push_back(pub->create_datawriter(p->create_topic(writes, writesType, TOPIC_QOS_DEFAULT), wq));
		if (mode == "serve")
			listener.answers = writers[0];
		if (mode != "pub")
			reader = sub->create_datareader(p->create_topic(reads, readsType, TOPIC_QOS_DEFAULT), rq,
			                                mode == "serve" ? nullptr : &listener);
	}
	printf("ready\n");
	if (mode == "count")
		summarize();
	for (; mode == "serve"; std::this_thread::sleep_for(std::chrono::milliseconds(1)))
		listener.on_data_available(reader);
	if (mode == "pub" || mode == "ask") {
		for (auto *w : writers) {
			PublicationMatchedStatus s;
			do
				std::this_thread::sleep_for(std::chrono::milliseconds(5));
			while (w->get_publication_matched_status(s), s.current_count == 0);
		}
		for (SubscriptionMatchedStatus s; mode == "ask" && s.current_count == 0;
		     reader->get_subscription_matched_status(s))
			std::this_thread::sleep_for(std::chrono::milliseconds(5));
		printf("matched\n");
		double rate = atof(env("DDSPEER_RATE", "500").c_str());
		int64_t start = now();
		for (int n = 0; n < (argc > 7 ? atoi(argv[7]) : 1); n++) {
			Blob b = blob("n" + std::to_string(n), argc > 6 ? atoi(argv[6]) : 10);
			for (auto *w : writers) {
				WriteParams params;
				if (service) {
					params.related_sample_identity().writer_guid(reader->guid());
				}
				w->write(&b, params);
				if (service)
					printf("asked n%d %" PRIu64 "\n", n, params.sample_identity().sequence_number().to64long());
			}
			if (rate > 0)
				std::this_thread::sleep_for(std::chrono::nanoseconds(start + int64_t((n + 1) * 1e9 / rate) - now()));
		}
		printf("published\n");
	}
	std::this_thread::sleep_for(std::chrono::seconds(600));
}
