// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits: the card's limit of freezes, and the users' limit of errors, which those over it share.
 */
#include <linux/cred.h>

#include "fake.h"

#include "nvfifo_quota.h"

#define USERS		20
#define FIRST_UID	70000

/* Open the account of a file that another user has opened. */
static struct nvfifo_quota *quota_of(struct kunit *test, struct nvfifo_device *ndev, u32 uid)
{
	struct nvfifo_quota *quota;
	const struct cred *old;
	struct cred *cred = prepare_creds();

	KUNIT_ASSERT_NOT_NULL(test, cred);

	cred->uid = KUIDT_INIT(uid);
	old = override_creds(cred);
	quota = nvfifo_quota_create(ndev);
	revert_creds(old);
	put_cred(cred);
	KUNIT_ASSERT_NOT_NULL(test, quota);

	return quota;
}

/* 60 ms of freezes are 1.2 s of the card's share, of which 1 s is free. */
static void quota_freezes(struct kunit *test)
{
	struct nvfifo_device *ndev = &nvfifo_test_card(test, 0x84)->ndev;

	guard(mutex)(&ndev->mmu.freeze_lock);

	nvfifo_mmu_freeze_charge(ndev, 40 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, nvfifo_mmu_freeze_wait(ndev), 0);
	nvfifo_mmu_freeze_charge(ndev, 20 * NSEC_PER_MSEC);
	KUNIT_EXPECT_LE(test, nvfifo_mmu_freeze_wait(ndev), 200);
	nvfifo_mmu_freeze_charge(ndev, 1000 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, nvfifo_mmu_freeze_wait(ndev), 1000);
}

/* Let a user have channels with errors, each with work of 100 ms, which counts as 2 s. */
static void make_errors(struct nvfifo_quota *quota, u32 count)
{
	while (count--) {
		nvfifo_quota_error(quota);
		nvfifo_quota_error_work(quota, 100 * NSEC_PER_MSEC);
	}
}

/*
 * A user's first 8 s of errors are free. Beside 19 users over the limit the free part is 0.4 s, and
 * the same errors cost 20 times as much. A user who has left the limit counts no more.
 */
static void quota_errors(struct kunit *test)
{
	struct nvfifo_device *ndev = &nvfifo_test_card(test, 0x84)->ndev;
	struct nvfifo_quota *quotas[USERS], *alone;
	u64 before;
	u32 i;

	alone = quota_of(test, ndev, FIRST_UID + USERS);
	make_errors(alone, 3);
	KUNIT_EXPECT_EQ(test, nvfifo_quota_error_delay(alone), 0);
	before = nvfifo_quota_error_charge(alone);

	for (i = 0; i < USERS; i++)
		quotas[i] = quota_of(test, ndev, FIRST_UID + i);

	for (i = 1; i < USERS; i++)
		make_errors(quotas[i], 10);

	/* The debt is no longer than the longest wait. */
	KUNIT_EXPECT_LE(test, nvfifo_quota_error_delay(quotas[1]), 8000);
	KUNIT_EXPECT_GT(test, nvfifo_quota_error_delay(quotas[1]), 7000);
	KUNIT_EXPECT_EQ(test, nvfifo_quota_error_delay(quotas[0]), 0);
	make_errors(quotas[0], 1);
	KUNIT_EXPECT_GE(test, nvfifo_quota_error_charge(quotas[0]), 20 * before / 3);
	KUNIT_EXPECT_LE(test, nvfifo_quota_error_charge(quotas[0]), 20 * (before / 3 + 1));
	KUNIT_EXPECT_GT(test, nvfifo_quota_error_delay(quotas[0]), 7000);

	for (i = 0; i < USERS; i++)
		nvfifo_quota_put(quotas[i]);

	nvfifo_quota_put(alone);
}

static struct kunit_case quota_cases[] = {
	KUNIT_CASE(quota_freezes),
	KUNIT_CASE(quota_errors),
	{}
};

static struct kunit_suite quota_suite = {
	.name = "nvfifo_quota",
	.test_cases = quota_cases,
};

kunit_test_suites(&quota_suite);
