// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits: the card's limit of freezes.
 */
#include "fake.h"

#include "nvfifo_mmu.h"

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

static struct kunit_case quota_cases[] = {
	KUNIT_CASE(quota_freezes),
	{}
};

static struct kunit_suite quota_suite = {
	.name = "nvfifo_quota",
	.test_cases = quota_cases,
};

kunit_test_suites(&quota_suite);
